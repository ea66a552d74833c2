import { z } from 'zod';
import { scanRow } from './analytics.js';
import { defineEvent, type EventDefinition } from './event.js';
import { linkStatus, utmDefaults } from './links.js';

/** What other services need to know of a link; `revision` grows with each change and orders what arrives out of order. */
export const linkSnapshot = z.object({
  id: z.string(),
  revision: z.number().int(),
  /** The custom hostname, or `null` for the default short host. */
  hostname: z.string().nullable(),
  short_code: z.string(),
  short_url: z.string(),
  title: z.string().nullable(),
  destination_url: z.string(),
  campaign_tag: z.string().nullable(),
  utm_defaults: utmDefaults,
  status: linkStatus,
  created_at: z.iso.datetime(),
});
export type LinkSnapshot = z.infer<typeof linkSnapshot>;

const linkData = z.object({ link: linkSnapshot });
export const linkCreated = defineEvent('link.created', 1, linkData);
export const linkUpdated = defineEvent('link.updated', 1, linkData);
export const linkArchived = defineEvent('link.archived', 1, linkData);
export const linkReactivated = defineEvent('link.reactivated', 1, linkData);
export const linkDeleted = defineEvent('link.deleted', 1, linkData);

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
  referrer: z.string(),
  prefetch: z.boolean(),
});
export type RawScan = z.infer<typeof rawScan>;

/** A batch of scans from one redirect process, of many workspaces. */
export const scanRecorded = defineEvent('scan.recorded', 1, z.object({ scans: z.array(rawScan) }));

/** Counted scans (never bots) of one batch, enriched and stored; the batch may hold many workspaces. */
export const scanLogged = defineEvent(
  'scan.logged',
  1,
  z.object({
    scans: z.array(
      z.object({
        workspace: z.string(),
        scan: scanRow,
        link: z.object({
          id: z.string(),
          short_code: z.string(),
          short_url: z.string(),
          title: z.string().nullable(),
          campaign_tag: z.string().nullable(),
        }),
      }),
    ),
  }),
);
export type LoggedScan = z.infer<typeof scanLogged.schema>['scans'][number];

const tokenData = z.object({ token_id: z.string(), name: z.string(), user_id: z.string() });
export const tokenCreated = defineEvent('token.created', 1, tokenData);
export const tokenRevoked = defineEvent('token.revoked', 1, tokenData);

/** Sign-ins concern every workspace of the user. */
const sessionData = z.object({ user_id: z.string().nullable(), email: z.string(), workspaces: z.array(z.string()) });
export const sessionCreated = defineEvent('session.created', 1, sessionData);
export const sessionFailed = defineEvent('session.failed', 1, sessionData);
export const sessionDeleted = defineEvent('session.deleted', 1, sessionData);

export const workspaceCreated = defineEvent('workspace.created', 1, z.object({ name: z.string(), plan: z.string() }));
export const workspacePlanChanged = defineEvent(
  'workspace.plan_changed',
  1,
  z.object({ from: z.string(), to: z.string() }),
);
const memberData = z.object({ user_id: z.string(), email: z.string(), role: z.string() });
export const memberAdded = defineEvent('member.added', 1, memberData);
export const memberRoleChanged = defineEvent('member.role_changed', 1, memberData);
export const memberRemoved = defineEvent('member.removed', 1, memberData);

export const webhookCreated = defineEvent('webhook.created', 1, z.object({ webhook_id: z.string(), url: z.string() }));
export const webhookDisabled = defineEvent(
  'webhook.disabled',
  1,
  z.object({ webhook_id: z.string(), url: z.string() }),
);

/** Every event there is, by type. */
export const EVENTS: Readonly<Record<string, EventDefinition<never>>> = Object.fromEntries(
  [
    linkCreated,
    linkUpdated,
    linkArchived,
    linkReactivated,
    linkDeleted,
    scanRecorded,
    scanLogged,
    tokenCreated,
    tokenRevoked,
    sessionCreated,
    sessionFailed,
    sessionDeleted,
    workspaceCreated,
    workspacePlanChanged,
    memberAdded,
    memberRoleChanged,
    memberRemoved,
    webhookCreated,
    webhookDisabled,
  ].map((definition) => [definition.type, definition as unknown as EventDefinition<never>]),
);

export const LINK_EVENTS = [linkCreated, linkUpdated, linkArchived, linkReactivated, linkDeleted] as const;

/** Types whose events may carry an audit record: all but the scans themselves. */
export const AUDITED_TYPES: readonly string[] = Object.keys(EVENTS).filter((type) => !type.startsWith('scan.'));
