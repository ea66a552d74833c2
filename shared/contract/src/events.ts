import { z } from 'zod';
import { scanRow } from './analytics.js';
import { boundedList } from './common.js';
import { conversion } from './conversions.js';
import type { Deployment } from './deployments.js';
import { domainStatus } from './domains.js';
import { ERASURE_ORDERS, ERASURE_REPORTS, workspaceDeleted } from './erasures.js';
import { defineEvent, type EventDefinition } from './event.js';
import { DEFAULT_QUERY_POLICY, link, linkStatus, queryPolicy, utmDefaults } from './links.js';
import { tooMany } from './problems.js';
import { redactedQrStyle } from './qr-style.js';
import { availability, visitSnapshot } from './visit-fields.js';

/** Scans in one event of a redirect process, and so in the event about the scans that count. */
export const SCANS_PER_EVENT_MAX = 500;
/** Scans that are classified again at once. */
export const RECLASSIFIED_MAX = 1000;
/** Above the limits of a link and of a user: it only bounds the parsing of a damaged event. */
const LIST_MAX = 10_000;

/** A list of bounded length: no consumer parses a list that no producer makes. */
const upTo = <T extends z.ZodType>(max: number, element: T) =>
  boundedList(element, { max: [max, tooMany('list', max, 'elements')] });

const linkTags = upTo(LIST_MAX, link.shape.tags.element);

/**
 * The fields that other services need of a link, or of a QR code, which they treat as one; `revision` grows with each
 * change and orders snapshots that arrive out of order.
 */
export const linkSnapshot = z.object({
  id: z.string(),
  revision: z.number().int(),
  /** The custom hostname, or `null` for the default short host. */
  hostname: z.string().nullable(),
  short_code: z.string(),
  /** Absent in events of 0.1.0, as are its folder and tags; `null` is the default short host. */
  domain_id: z.string().nullable().optional(),
  folder_id: z.string().nullable().optional(),
  /** May still contain a deleted tag. */
  tag_ids: upTo(LIST_MAX, z.string()).optional(),
  /** Earlier addresses of the link, which still lead to it: a code that was ever scanned keeps working. */
  former_codes: upTo(LIST_MAX, z.object({ hostname: z.string().nullable(), short_code: z.string() })).optional(),
  short_url: z.string(),
  title: z.string().nullable(),
  destination_url: z.string(),
  campaign_tag: z.string().nullable(),
  utm_defaults: utmDefaults,
  query_policy: queryPolicy.default(DEFAULT_QUERY_POLICY),
  ...visitSnapshot,
  status: linkStatus,
  /** Scans by people, a moment behind; where it has a limit the redirect continues from it. */
  scans_count: z.number().int().optional(),
  /** Absent in events published before links could be blocked. */
  blocked: link.shape.blocked.optional(),
  created_at: z.iso.datetime(),
  /** For receivers of webhooks, like the fields below; absent in events of 0.1.0 and where another service asks for a link. */
  tags: linkTags.optional(),
  /** Of QR codes only. */
  style: redactedQrStyle.optional(),
  created_by: z.string().nullable().optional(),
  archived_at: z.iso.datetime().nullable().optional(),
  availability: availability.optional(),
  updated_at: z.iso.datetime().optional(),
});
export type LinkSnapshot = z.infer<typeof linkSnapshot>;

const linkData = z.object({ link: linkSnapshot });
export const linkCreated = defineEvent('link.created', 1, linkData);
export const linkUpdated = defineEvent('link.updated', 1, linkData);
export const linkArchived = defineEvent('link.archived', 1, linkData);
export const linkReactivated = defineEvent('link.reactivated', 1, linkData);
/** Its `expires_at` has come, or its scans have reached `max_scans`: once for each end. */
export const linkExpired = defineEvent('link.expired', 1, linkData);
export const linkBlocked = defineEvent('link.blocked', 1, linkData);
export const linkUnblocked = defineEvent('link.unblocked', 1, linkData);
export const linkDeleted = defineEvent('link.deleted', 1, linkData);
export const qrCodeCreated = defineEvent('qr_code.created', 1, linkData);
export const qrCodeUpdated = defineEvent('qr_code.updated', 1, linkData);
export const qrCodeArchived = defineEvent('qr_code.archived', 1, linkData);
export const qrCodeReactivated = defineEvent('qr_code.reactivated', 1, linkData);
export const qrCodeExpired = defineEvent('qr_code.expired', 1, linkData);
export const qrCodeBlocked = defineEvent('qr_code.blocked', 1, linkData);
export const qrCodeUnblocked = defineEvent('qr_code.unblocked', 1, linkData);
export const qrCodeDeleted = defineEvent('qr_code.deleted', 1, linkData);

const exportData = z.object({ filters: z.record(z.string(), z.unknown()) });
export const linkExported = defineEvent('link.exported', 1, exportData);
export const qrCodeExported = defineEvent('qr_code.exported', 1, exportData);

/** The events of an installation's content: its links, or its QR codes. */
export const CONTENT_EVENTS_OF = {
  links: {
    created: linkCreated,
    updated: linkUpdated,
    archived: linkArchived,
    reactivated: linkReactivated,
    expired: linkExpired,
    blocked: linkBlocked,
    unblocked: linkUnblocked,
    deleted: linkDeleted,
  },
  qr: {
    created: qrCodeCreated,
    updated: qrCodeUpdated,
    archived: qrCodeArchived,
    reactivated: qrCodeReactivated,
    expired: qrCodeExpired,
    blocked: qrCodeBlocked,
    unblocked: qrCodeUnblocked,
    deleted: qrCodeDeleted,
  },
} as const satisfies Record<Deployment, unknown>;

/** The same events for consumers, in both deployments. */
export const CONTENT_EVENTS = Object.values(CONTENT_EVENTS_OF).flatMap((events) => Object.values(events));

export const isDeletion = (type: string): boolean => type === linkDeleted.type || type === qrCodeDeleted.type;

/** A host that no link may lead to, with its subdomains; `revision` orders its blocks and unblocks. */
export const destinationBlock = z.object({ host: z.string(), revision: z.number().int(), is_blocked: z.boolean() });
export type DestinationBlock = z.infer<typeof destinationBlock>;
export const destinationBlocked = defineEvent('destination.blocked', 1, destinationBlock);
export const destinationUnblocked = defineEvent('destination.unblocked', 1, destinationBlock);
export const DESTINATION_EVENTS = [destinationBlocked, destinationUnblocked] as const;

const named = z.object({ id: z.string(), name: z.string() });
/** `color` is absent in events of 0.1.0. */
const coloured = named.extend({ color: z.string().nullable().optional() });
export const folderCreated = defineEvent('folder.created', 1, named);
export const folderUpdated = defineEvent('folder.updated', 1, named);
export const folderDeleted = defineEvent('folder.deleted', 1, named);
export const tagCreated = defineEvent('tag.created', 1, coloured);
export const tagUpdated = defineEvent('tag.updated', 1, coloured);
export const tagDeleted = defineEvent('tag.deleted', 1, named);
export const TAG_NAMINGS = [tagCreated, tagUpdated] as const;
/** Deletions of folders and tags: they are removed from their links a little later, without an event for each link. */
export const HOLDER_DELETIONS = [folderDeleted, tagDeleted] as const;

export const utmTemplateCreated = defineEvent('utm_template.created', 1, named);
export const utmTemplateUpdated = defineEvent('utm_template.updated', 1, named);
export const utmTemplateDeleted = defineEvent('utm_template.deleted', 1, named);

const importData = z.object({ import: z.object({ id: z.string(), total_rows: z.number().int() }).loose() });
export const linkImportStarted = defineEvent('link.import_started', 1, importData);
export const linkImportCompleted = defineEvent('link.import_completed', 1, importData);

/**
 * A scan as the redirect saw it: everything else is derived by the consumer. Names are short since it is the busiest
 * record of the system. `address` is the visitor's; it never reaches a database.
 */
export const rawScan = z.object({
  id: z.string().startsWith('scn_'),
  at: z.iso.datetime(),
  workspace: z.string(),
  link_id: z.string(),
  short_code: z.string(),
  hostname: z.string().nullable(),
  title: z.string().nullable(),
  campaign: z.string().nullable(),
  trigger: z.enum(['link', 'qr']),
  address: z.string(),
  user_agent: z.string(),
  /** The header as it came; absent in a scan that 0.1.0 recorded. */
  accept_language: z.string().optional(),
  referrer: z.string(),
  prefetch: z.boolean(),
});
export type RawScan = z.infer<typeof rawScan>;

/** A batch of scans from one redirect process, of many workspaces. */
export const scanRecorded = defineEvent('scan.recorded', 1, z.object({ scans: upTo(SCANS_PER_EVENT_MAX, rawScan) }));

/** The fields that scans and conversions carry of their link. */
const scannedLink = z.object({
  id: z.string(),
  short_code: z.string(),
  short_url: z.string(),
  title: z.string().nullable(),
  campaign_tag: z.string().nullable(),
  /** Absent in events of 0.1.0, as are the tags, and of QR codes. */
  folder_id: z.string().nullable().optional(),
  tags: linkTags.optional(),
});
export type ScannedLink = z.infer<typeof scannedLink>;

/** The language is absent in events of 0.1.0. */
const loggedScanRow = scanRow.partial({ language: true });

/** Counted scans (never bots) of one batch, enriched and stored; the batch may hold many workspaces. */
export const scanLogged = defineEvent(
  'scan.logged',
  1,
  z.object({
    scans: upTo(
      SCANS_PER_EVENT_MAX,
      z.object({
        workspace: z.string(),
        scan: loggedScanRow,
        link: scannedLink,
      }),
    ),
  }),
);
export type LoggedScan = z.infer<typeof scanLogged.schema>['scans'][number];

/** Bots were classified again: the resulting change in each link's number of counted scans. */
export const scanReclassified = defineEvent(
  'scan.reclassified',
  1,
  z.object({
    links: upTo(
      RECLASSIFIED_MAX,
      z.object({
        id: z.string(),
        scans_difference: z.number().int(),
        /** The latest scan that counts now and did not before. */
        last_scanned_at: z.iso.datetime().nullable(),
      }),
    ),
  }),
);
export type ReclassifiedLink = z.infer<typeof scanReclassified.schema>['links'][number];

/** Only recorded conversions make an event: the fields that are optional here are absent in events of 0.1.0. */
const recordedConversion = conversion
  .extend({ link_id: z.string(), short_code: z.string() })
  .partial({ status: true, rejection: true, updated_at: true });
export const conversionRecorded = defineEvent(
  'conversion.recorded',
  1,
  z.object({ conversion: recordedConversion, link: scannedLink }),
);

const tokenData = z.object({ token_id: z.string(), name: z.string(), user_id: z.string() });
export const tokenCreated = defineEvent('token.created', 1, tokenData);
export const tokenRevoked = defineEvent('token.revoked', 1, tokenData);
/** `count` uses of a revoked or expired token since the last such event, at least a minute ago. */
export const tokenRefused = defineEvent('token.refused', 1, tokenData.extend({ count: z.number().int() }));

/** `workspaces`: those that the user has joined by their own consent, or by the operator. */
const sessionData = z.object({
  user_id: z.string().nullable(),
  email: z.string(),
  workspaces: upTo(LIST_MAX, z.string()),
});
export const sessionCreated = defineEvent('session.created', 1, sessionData);
export const sessionFailed = defineEvent('session.failed', 1, sessionData);
export const sessionDeleted = defineEvent('session.deleted', 1, sessionData);

const userData = z.object({ user_id: z.string(), email: z.string(), workspaces: upTo(LIST_MAX, z.string()) });
export const userUpdated = defineEvent('user.updated', 1, userData);
export const userPasswordChanged = defineEvent('user.password_changed', 1, userData);
export const userPasswordResetRequested = defineEvent('user.password_reset_requested', 1, userData);
export const userCreated = defineEvent('user.created', 1, userData);
export const userIdentityLinked = defineEvent('user.identity_linked', 1, userData);
export const userDisabled = defineEvent('user.disabled', 1, userData);
export const userEnabled = defineEvent('user.enabled', 1, userData);
export const userTotpEnabled = defineEvent('user.totp_enabled', 1, userData);
export const userTotpDisabled = defineEvent('user.totp_disabled', 1, userData);

export const workspaceCreated = defineEvent('workspace.created', 1, z.object({ name: z.string(), plan: z.string() }));
export const workspacePlanChanged = defineEvent(
  'workspace.plan_changed',
  1,
  z.object({ from: z.string(), to: z.string() }),
);
/** The end of a workspace's audit log: the number and the hash of its last entry. */
export const auditHead = z.object({ seq: z.number().int().nonnegative(), hash: z.string() });
/** `previous` is the end before these entries. Leaves no audit entry, which would move the end again. */
export const auditAppended = defineEvent('audit.appended', 1, z.object({ head: auditHead, previous: auditHead }));
export const workspaceUpdated = defineEvent('workspace.updated', 1, z.object({ name: z.string() }));
/** `revision` counts the changes of this state. `links`: whether its links keep working or answer 451 while it is suspended. */
const suspensionData = z.object({
  revision: z.number().int(),
  reason: z.string(),
  links: z.enum(['keep', 'block']),
});
export const workspaceSuspended = defineEvent('workspace.suspended', 1, suspensionData);
export const workspaceResumed = defineEvent('workspace.resumed', 1, suspensionData.pick({ revision: true }));
export const SUSPENSION_EVENTS = [workspaceSuspended, workspaceResumed] as const;
const memberData = z.object({ user_id: z.string(), email: z.string(), role: z.string() });
export const memberAdded = defineEvent('member.added', 1, memberData);
export const memberRoleChanged = defineEvent('member.role_changed', 1, memberData);
export const memberRemoved = defineEvent('member.removed', 1, memberData);

const invitationData = z.object({ invitation_id: z.string(), email: z.string().nullable(), role: z.string() });
export const invitationCreated = defineEvent('invitation.created', 1, invitationData);
export const invitationAccepted = defineEvent('invitation.accepted', 1, invitationData);
export const invitationDeclined = defineEvent('invitation.declined', 1, invitationData);
/** Withdrawn by an owner or admin of its workspace. */
export const invitationDeleted = defineEvent('invitation.deleted', 1, invitationData);

const webhookData = z.object({ webhook_id: z.string(), url: z.string() });
export const webhookCreated = defineEvent('webhook.created', 1, webhookData);
export const webhookUpdated = defineEvent('webhook.updated', 1, webhookData);
export const webhookSecretRotated = defineEvent('webhook.secret_rotated', 1, webhookData);
export const webhookDisabled = defineEvent('webhook.disabled', 1, webhookData);
export const webhookDeleted = defineEvent('webhook.deleted', 1, webhookData);
const deliveryData = webhookData.extend({ delivery_id: z.string() });
export const webhookTested = defineEvent('webhook.tested', 1, deliveryData);
export const webhookDeliveryRetried = defineEvent('webhook.delivery_retried', 1, deliveryData);
export const webhookReplayed = defineEvent('webhook.replayed', 1, webhookData.extend({ deliveries: z.number().int() }));

/** The fields that other services need of a custom domain; `revision` as with links. */
export const domainSnapshot = z.object({
  id: z.string(),
  revision: z.number().int(),
  hostname: z.string(),
  status: domainStatus,
  not_found_url: z.string().nullable(),
  /** Absent in events of earlier versions, as are the fields below. */
  root_url: z.string().nullable().default(null),
  expired_url: z.string().nullable().default(null),
  indexable: z.boolean().default(false),
  /** The JSON text that the redirect serves, for no receiver of webhooks. */
  apple_app_site_association: z.string().nullable().default(null),
  assetlinks: z.string().nullable().default(null),
});
export type DomainSnapshot = z.infer<typeof domainSnapshot>;

const domainData = z.object({ domain: domainSnapshot });
export const domainCreated = defineEvent('domain.created', 1, domainData);
export const domainUpdated = defineEvent('domain.updated', 1, domainData);
export const domainVerified = defineEvent('domain.verified', 1, domainData);
export const domainDegraded = defineEvent('domain.degraded', 1, domainData);
export const domainFailed = defineEvent('domain.failed', 1, domainData);
export const domainDeleted = defineEvent('domain.deleted', 1, domainData);
/** For the audit log only: a check changes nothing that other services need. */
export const domainCheckRequested = defineEvent('domain.check_requested', 1, domainData);
export const DOMAIN_EVENTS = [
  domainCreated,
  domainUpdated,
  domainVerified,
  domainDegraded,
  domainFailed,
  domainDeleted,
] as const;

export const auditLogExported = defineEvent('audit_log.exported', 1, exportData);
export const analyticsExported = defineEvent('analytics.exported', 1, exportData);

/** All events, by type. */
export const EVENTS: Readonly<Record<string, EventDefinition<never>>> = Object.fromEntries(
  [
    ...CONTENT_EVENTS,
    ...DESTINATION_EVENTS,
    linkExported,
    qrCodeExported,
    folderCreated,
    folderUpdated,
    folderDeleted,
    tagCreated,
    tagUpdated,
    tagDeleted,
    utmTemplateCreated,
    utmTemplateUpdated,
    utmTemplateDeleted,
    linkImportStarted,
    linkImportCompleted,
    scanRecorded,
    scanLogged,
    scanReclassified,
    conversionRecorded,
    tokenCreated,
    tokenRevoked,
    tokenRefused,
    sessionCreated,
    sessionFailed,
    sessionDeleted,
    userUpdated,
    userPasswordChanged,
    userPasswordResetRequested,
    userCreated,
    userIdentityLinked,
    userDisabled,
    userEnabled,
    userTotpEnabled,
    userTotpDisabled,
    workspaceCreated,
    workspacePlanChanged,
    workspaceUpdated,
    ...SUSPENSION_EVENTS,
    ...ERASURE_ORDERS,
    ...Object.values(ERASURE_REPORTS),
    memberAdded,
    memberRoleChanged,
    memberRemoved,
    invitationCreated,
    invitationAccepted,
    invitationDeclined,
    invitationDeleted,
    webhookCreated,
    webhookUpdated,
    webhookSecretRotated,
    webhookDisabled,
    webhookDeleted,
    webhookTested,
    webhookDeliveryRetried,
    webhookReplayed,
    ...DOMAIN_EVENTS,
    domainCheckRequested,
    auditLogExported,
    auditAppended,
    analyticsExported,
  ].map((definition) => [definition.type, definition as unknown as EventDefinition<never>]),
);

const WITHOUT_AUDIT: readonly string[] = [workspaceDeleted.type, auditAppended.type];
const isAudited = (type: string): boolean =>
  !/^(scan|destination)\./.test(type) && !type.endsWith('.erased') && !WITHOUT_AUDIT.includes(type);

/** Types whose events may carry an audit record: all but the scans themselves, erasures, and blocks of hosts, which are of no workspace. */
export const AUDITED_TYPES: readonly string[] = Object.keys(EVENTS).filter(isAudited);
