import { z } from 'zod';
import * as analytics from '@waymark/contract/analytics';
import { appleAppSiteAssociation, assetLinks } from '@waymark/contract/app-links';
import { auditAction, auditEntry, auditVerdict } from '@waymark/contract/audit-logs';
import { bulkResults } from '@waymark/contract/bulk-changes';
import { cursorMeta, pageLinks, pageMeta } from '@waymark/contract/common';
import { conversion, conversionStatus } from '@waymark/contract/conversions';
import { domain, domainStatus } from '@waymark/contract/domains';
import { auditChanges } from '@waymark/contract/event';
import { explanation } from '@waymark/contract/explain';
import { folder } from '@waymark/contract/folders';
import { importRow, importSummary, linkImport } from '@waymark/contract/imports';
import { acceptedInvitation, invitation, shownInvitation } from '@waymark/contract/invitations';
import { link, linkStatus, queryPolicy, utmDefaults } from '@waymark/contract/links';
import { planName } from '@waymark/contract/plans';
import { qrCode } from '@waymark/contract/qr-codes';
import { qrStyle } from '@waymark/contract/qr-style';
import { resourceUsage } from '@waymark/contract/quota';
import { role } from '@waymark/contract/roles';
import type { RouteDefinition } from '@waymark/contract/route';
import { ROUTES, type RouteName, type Routes } from '@waymark/contract/routes';
import { tag } from '@waymark/contract/tags';
import { token } from '@waymark/contract/tokens';
import { recoveryCodes, session, signInMethods, totpSetup, user } from '@waymark/contract/users';
import { utmTemplate } from '@waymark/contract/utm-templates';
import {
  changedDomain,
  changedLink,
  changedQrCode,
  changes,
  eventId,
  eventTime,
  scannedLink,
  scannedQrCode,
} from '@waymark/contract/webhook-payloads';
import {
  delivery,
  deliveryAttempt,
  deliveryRow,
  qrDelivery,
  qrDeliveryRow,
  replay,
  webhook,
  webhookEventType,
} from '@waymark/contract/webhooks';
import { member, workspace, workspaceDetails } from '@waymark/contract/workspaces';
import { SUMMARIES } from './summaries.js';

/** What bodies and answers are made of, by the names that generated clients use. */
export const PARTS: Readonly<Record<string, z.ZodType>> = {
  AcceptedInvitation: acceptedInvitation,
  AppleAppSiteAssociation: appleAppSiteAssociation,
  AssetLinks: assetLinks,
  AuditAction: auditAction,
  AuditChanges: auditChanges,
  AuditEntry: auditEntry,
  AuditVerdict: auditVerdict,
  Breakdown: analytics.breakdown,
  Breakdowns: analytics.breakdowns,
  BreakdownRow: analytics.breakdownRow,
  BulkResult: bulkResults.shape.data.element,
  Changes: changes,
  Conversion: conversion,
  ConversionBreakdowns: analytics.conversionBreakdowns,
  ConversionStatus: conversionStatus,
  CursorMeta: cursorMeta,
  Delivery: delivery,
  DeliveryAttempt: deliveryAttempt,
  DeliveryRow: deliveryRow,
  Domain: domain,
  DomainChanged: changedDomain,
  DomainStatus: domainStatus,
  EventId: eventId,
  EventTime: eventTime,
  Explanation: explanation,
  FilterValues: analytics.filterValues,
  Folder: folder,
  ImportRow: importRow,
  ImportSummary: importSummary,
  Invitation: invitation,
  Link: link,
  LinkBreakdownRow: analytics.linkRow,
  LinkChanged: changedLink,
  LinkImport: linkImport,
  LinkScanned: scannedLink,
  LinkStatus: linkStatus,
  Member: member,
  PageLinks: pageLinks,
  PageMeta: pageMeta,
  PlanName: planName,
  QrBreakdowns: analytics.qrBreakdowns,
  QrCode: qrCode,
  QrCodeChanged: changedQrCode,
  QrCodeScanned: scannedQrCode,
  QrDelivery: qrDelivery,
  QrDeliveryRow: qrDeliveryRow,
  QrFilterValues: analytics.qrFilterValues,
  QrScan: analytics.qrScanRow,
  QrStyle: qrStyle,
  QrSummary: analytics.qrSummary,
  QueryPolicy: queryPolicy,
  RecoveryCodes: recoveryCodes,
  Replay: replay,
  ResourceUsage: resourceUsage,
  Role: role,
  Scan: analytics.scanRow,
  ScansByDay: analytics.scansByDay,
  Session: session,
  ShownInvitation: shownInvitation,
  SignInMethods: signInMethods,
  Summary: analytics.summary,
  Tag: tag,
  Token: token,
  TotpSetup: totpSetup,
  User: user,
  UtmDefaults: utmDefaults,
  UtmTemplate: utmTemplate,
  Webhook: webhook,
  WebhookEventType: webhookEventType,
  Workspace: workspace,
  WorkspaceDetails: workspaceDetails,
};
const PART_NAMES = new Map(Object.entries(PARTS).map(([name, schema]) => [schema, name]));

/** Returns the name of a part, also when it is described anew where it is used. */
function partName(schema: z.ZodType): string | undefined {
  const { parent } = schema._zod;
  return PART_NAMES.get(schema) ?? (parent && partName(parent as z.ZodType));
}

type RouteWithBody = { [N in RouteName]: Routes[N] extends { body: z.ZodType } ? N : never }[RouteName];
const BODIES: Readonly<Record<RouteWithBody, string>> = {
  'conversions.record': 'ConversionRecord',
  'domains.create': 'DomainCreate',
  'domains.update': 'DomainUpdate',
  'folders.create': 'FolderCreate',
  'folders.update': 'FolderUpdate',
  'imports.create': 'LinkImportCreate',
  'invitations.accept': 'InvitationAccept',
  'invitations.acceptByToken': 'InvitationAcceptByToken',
  'invitations.create': 'InvitationCreate',
  'invitations.lookUp': 'InvitationLookUp',
  'links.bulk': 'LinkBulkChange',
  'links.create': 'LinkCreate',
  'links.explain': 'LinkExplain',
  'links.update': 'LinkUpdate',
  'members.add': 'MemberAdd',
  'members.update': 'MemberUpdate',
  'qr_codes.bulk': 'QrCodeBulkChange',
  'qr_codes.create': 'QrCodeCreate',
  'qr_codes.explain': 'QrCodeExplain',
  'qr_codes.update': 'QrCodeUpdate',
  'session.create': 'SignIn',
  'session.reauthenticate': 'Reauthenticate',
  'tags.create': 'TagCreate',
  'tags.update': 'TagUpdate',
  'tokens.create': 'TokenCreate',
  'user.changePassword': 'PasswordChange',
  'user.confirmTotp': 'TotpConfirm',
  'user.disableTotp': 'TotpDisable',
  'user.requestPasswordReset': 'PasswordResetRequest',
  'user.resetPassword': 'PasswordReset',
  'user.update': 'UserUpdate',
  'utm_templates.create': 'UtmTemplateCreate',
  'utm_templates.update': 'UtmTemplateUpdate',
  'webhooks.create': 'WebhookCreate',
  'webhooks.replay': 'ReplayCreate',
  'webhooks.update': 'WebhookUpdate',
  'workspaces.create': 'WorkspaceCreate',
  'workspaces.delete': 'WorkspaceDelete',
  'workspaces.update': 'WorkspaceUpdate',
};

/** Answers that are more than one part, or a list of them, in the usual envelope. */
const ANSWERS: Partial<Record<RouteName, string>> = {
  'imports.show': 'LinkImportDetails',
  'invitations.create': 'InvitationCreated',
  'members.add': 'InvitationCreated',
  'openapi.show': 'OpenApiDocument',
  'session.create': 'SignedIn',
  'tokens.create': 'TokenCreated',
  'user.changePassword': 'PasswordChanged',
  'user.resetPassword': 'PasswordResetDone',
  'webhooks.create': 'WebhookCreated',
  'webhooks.update': 'WebhookUpdated',
};

/** Returns the name of an answer: `Summary` itself, or the envelope of one `Link`, of its list or of a page. */
function answerName(name: RouteName, schema: z.ZodType): string {
  const own = ANSWERS[name] ?? partName(schema);
  if (own !== undefined) return own;
  const { data, meta } = (schema as z.ZodObject<{ data: z.ZodType; meta?: z.ZodType }>).shape;
  const isList = data instanceof z.ZodArray;
  const part = partName(isList ? (data.element as z.ZodType) : data);
  if (part === undefined) throw new Error(`The answer of ${name} has no name.`);
  if (!isList) return `${part}Response`;
  return meta && !(meta instanceof z.ZodOptional) ? `${part}Page` : `${part}List`;
}

interface RouteSchemas {
  body: z.ZodType | undefined;
  answer: z.ZodType | undefined;
}
const SCHEMAS = collect();

/** Names the bodies and answers; routes whose answers have the same name share the first one's schema. */
function collect(): Record<string, RouteSchemas> {
  const named = new Map<string, z.ZodType>();
  const withName = (id: string, schema: z.ZodType, route: RouteName): z.ZodType => {
    if (PARTS[id]) return schema;
    const description = schema.description ?? `${SUMMARIES[route].summary}.`;
    const component = named.get(id) ?? schema.meta({ ...schema.meta(), id, description });
    named.set(id, component);
    return component;
  };
  const routes = Object.entries(ROUTES) as [RouteName, RouteDefinition][];
  return Object.fromEntries(
    routes.map(([name, { body, response }]): [RouteName, RouteSchemas] => {
      const { schema } = response;
      const answer = schema && withName(answerName(name, schema), schema, name);
      return [name, { body: body && withName(BODIES[name as RouteWithBody], body, name), answer }];
    }),
  );
}

/** Returns the component of the route's body; the route must have one. */
export const bodySchema = (name: RouteName): z.ZodType => SCHEMAS[name]!.body!;
/** Returns the component of the route's answer; the route must have one. */
export const answerSchema = (name: RouteName): z.ZodType => SCHEMAS[name]!.answer!;
