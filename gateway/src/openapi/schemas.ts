import type { z } from 'zod';
import {
  breakdown,
  breakdowns,
  conversionBreakdowns,
  filterValues,
  qrBreakdowns,
  qrFilterValues,
  qrScanRow,
  qrSummary,
  scanRow,
  summary,
} from '@waymark/contract/analytics';
import { auditEntry, auditVerdict } from '@waymark/contract/audit-logs';
import { conversion } from '@waymark/contract/conversions';
import { domain } from '@waymark/contract/domains';
import { folder } from '@waymark/contract/folders';
import { importRow, importSummary, linkImport } from '@waymark/contract/imports';
import { link } from '@waymark/contract/links';
import { qrCode } from '@waymark/contract/qr-codes';
import { tag } from '@waymark/contract/tags';
import { token } from '@waymark/contract/tokens';
import { user } from '@waymark/contract/users';
import { utmTemplate } from '@waymark/contract/utm-templates';
import { delivery, deliveryAttempt, deliveryRow, qrDelivery, qrDeliveryRow, webhook } from '@waymark/contract/webhooks';
import { member, workspace } from '@waymark/contract/workspaces';

/** Schemas that the document refers to by name; generated clients use these names. */
export const SCHEMAS: Record<string, z.ZodType> = {
  AuditEntry: auditEntry,
  AuditVerdict: auditVerdict,
  Breakdown: breakdown,
  Breakdowns: breakdowns,
  Conversion: conversion,
  ConversionBreakdowns: conversionBreakdowns,
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
