import type { z } from 'zod';
import {
  breakdown,
  breakdowns,
  filterValues,
  qrBreakdowns,
  qrFilterValues,
  qrScanRow,
  qrSummary,
  scanRow,
  summary,
} from '@waymark/shared/contract/analytics';
import { auditEntry, auditVerdict } from '@waymark/shared/contract/audit-logs';
import { conversion } from '@waymark/shared/contract/conversions';
import { domain } from '@waymark/shared/contract/domains';
import { folder } from '@waymark/shared/contract/folders';
import { importRow, importSummary, linkImport } from '@waymark/shared/contract/imports';
import { link } from '@waymark/shared/contract/links';
import { qrCode } from '@waymark/shared/contract/qr-codes';
import { tag } from '@waymark/shared/contract/tags';
import { token } from '@waymark/shared/contract/tokens';
import { user } from '@waymark/shared/contract/users';
import { utmTemplate } from '@waymark/shared/contract/utm-templates';
import {
  delivery,
  deliveryAttempt,
  deliveryRow,
  qrDelivery,
  qrDeliveryRow,
  webhook,
} from '@waymark/shared/contract/webhooks';
import { member, workspace } from '@waymark/shared/contract/workspaces';

/** Schemas that the document refers to by name; generated clients use these names. */
export const SCHEMAS: Record<string, z.ZodType> = {
  AuditEntry: auditEntry,
  AuditVerdict: auditVerdict,
  Breakdown: breakdown,
  Breakdowns: breakdowns,
  Conversion: conversion,
  Delivery: delivery,
  DeliveryAttempt: deliveryAttempt,
  DeliveryRow: deliveryRow,
  Domain: domain,
  FilterValues: filterValues,
  Folder: folder,
  ImportRow: importRow,
  ImportSummary: importSummary,
  Link: link,
  LinkImport: linkImport,
  Member: member,
  QrBreakdowns: qrBreakdowns,
  QrCode: qrCode,
  QrDelivery: qrDelivery,
  QrDeliveryRow: qrDeliveryRow,
  QrFilterValues: qrFilterValues,
  QrScan: qrScanRow,
  QrSummary: qrSummary,
  Scan: scanRow,
  Summary: summary,
  Tag: tag,
  Token: token,
  User: user,
  UtmTemplate: utmTemplate,
  Webhook: webhook,
  Workspace: workspace,
};
