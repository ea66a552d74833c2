import type { SessionBody } from '@waymark/contract/users';
import type { z } from 'zod';
import type { AuditEntryBody } from '@waymark/contract/audit-logs';
import type { RouteName, Routes } from '@waymark/contract/routes';
import type { deliveryAttempt } from '@waymark/contract/webhooks';

/** The JSON body and response of a route. */
type ExampleOf<R> = (R extends { body: infer B extends z.ZodType } ? { body: z.input<B> } : unknown) &
  (R extends { response: { schema: infer S extends z.ZodType } } ? { response: z.output<S> } : unknown);

type Examples = { [N in RouteName]: ExampleOf<Routes[N]> };

export interface Example {
  body?: unknown;
  response?: unknown;
}

const AT = '2026-01-31T12:00:00.000Z';
const LATER = '2026-02-01T09:30:00.000Z';
const API = 'https://api.example.com/api/v1/workspaces';

const item = <T>(data: T) => ({ data });
const list = <T>(data: T) => ({ data: [data] });
const page = <T>(data: T, path: string) => ({
  data: [data],
  links: { first: `${path}?page=1`, last: `${path}?page=1`, prev: null, next: null },
  meta: { current_page: 1, from: 1, last_page: 1, path, per_page: 15, to: 1, total: 1 },
});

const ADA = { id: 'usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB', name: 'Ada Lovelace', email: 'ada@example.com' };
const LINK_ID = 'lnk_01KG9R2J5C7D8E9F0G1H2J3K4M';
const QR_CODE_ID = 'qr_01KG9R3A6B7C8D9E0F1G2H3J4K';
const FOLDER_ID = 'fld_01KG9R4B7C8D9E0F1G2H3J4K5M';
const TAG_ID = 'tag_01KG9R5C8D9E0F1G2H3J4K5M6N';
const TOKEN_ID = 'tok_01KG9R6D9E0F1G2H3J4K5M6N7P';
const DESTINATION = 'https://shop.example.com/spring';
const CAMPAIGN = 'spring-2026';
const UTM = {
  utm_source: 'newsletter',
  utm_medium: 'email',
  utm_campaign: CAMPAIGN,
  utm_term: null,
  utm_content: null,
};

const user = {
  ...ADA,
  created_at: AT,
  workspaces: [{ slug: 'acme', name: 'Acme', role: 'owner', plan: 'enterprise' }],
  invitations: [],
  token: { id: TOKEN_ID, name: 'build server', abilities: ['workspace:acme:read', 'workspace:acme:write'] },
  totp_enabled: false,
  can_create_workspace: true,
} as const satisfies z.output<Routes['user.show']['response']['unversionedSchema']>;
const workspace = {
  slug: 'acme',
  name: 'Acme',
  role: 'owner',
  plan: 'enterprise',
  require_two_factor: false,
  created_at: AT,
} as const;
const workspaceDetails = {
  ...workspace,
  usage: {
    active_links: { used: 120, limit: null },
    links: { used: 131, limit: 1_000_000 },
    folders: { used: 4, limit: 1000 },
    tags: { used: 12, limit: 1000 },
    utm_templates: { used: 2, limit: 500 },
    domains: { used: 1, limit: 1000 },
    webhooks: { used: 2, limit: 20 },
    members: { used: 5, limit: 500 },
    tokens: { used: 3, limit: 200 },
  },
};
const member = { user: ADA, role: 'editor', created_at: AT, updated_at: AT } as const;
const invitation = {
  id: 'inv_01KG9R0B2C3D4E5F6G7H8J9K0M',
  email: 'grace@example.com',
  role: 'editor' as const,
  invited_by: { id: ADA.id, name: ADA.name },
  created_at: AT,
  expires_at: LATER,
};
const issuedInvitation = {
  data: invitation,
  meta: { invite_url: 'https://api.example.com/console/invitations#7Hq2…', mailed: false },
};
const shownInvitation = item({
  workspace: { name: 'Acme' },
  role: 'editor' as const,
  invited_by: { name: ADA.name },
  is_for_one_email: true,
  email: 'grace@example.com',
  allows_new_account: true,
  expires_at: LATER,
});
const newAccount = { name: 'Grace Hopper', email: 'grace@example.com', password: 'a long password' };
const LINK_TOKEN = 'Zk3v0TqQ2m1x9bD4sYh7WcUe5aRj8nLpGf6iKoVtMzE';
const accepted = item({
  workspace: { slug: 'acme', name: 'Acme' },
  role: 'editor' as const,
  user: { id: 'usr_01KG9R1C3D4E5F6G7H8J9K0M1N', name: 'Grace Hopper', email: 'grace@example.com' },
});
const token = {
  id: TOKEN_ID,
  name: 'build server',
  user: { id: ADA.id, name: ADA.name },
  created_by_token_id: null,
  scope: 'read_write' as const,
  abilities: ['workspace:acme:read', 'workspace:acme:write'],
  token_prefix: 'wmk_3fT9',
  last_used_at: null,
  expires_at: null,
  created_at: AT,
};

const explanation = {
  status: 302,
  location: `${DESTINATION}?utm_source=newsletter`,
  steps: [
    { step: 'host' as const, result: 'default', because: 'It is the default short host.' },
    { step: 'code' as const, result: 'found', because: 'spring is the code of a link.' },
    {
      step: 'blocked' as const,
      result: 'no',
      because: 'The operator has blocked neither the link nor its destination.',
    },
    { step: 'archived' as const, result: 'no', because: 'The link is active.' },
    {
      step: 'availability' as const,
      result: 'available',
      because: 'The link is open: it ends at 2026-12-31T23:00:00.000Z, 42 of 500 scans are used.',
    },
    { step: 'query' as const, result: 'none', because: 'The visitor has sent no parameters.' },
  ],
  scan: { counted: true, is_bot: false, bot_pattern: null },
  parameters: [{ name: 'utm_source', value: 'newsletter', from: 'utm_defaults' as const }],
};

const content = {
  title: 'Spring sale',
  destination_url: DESTINATION,
  campaign_tag: CAMPAIGN,
  utm_defaults: UTM,
  query_policy: 'append' as const,
  starts_at: null,
  expires_at: '2026-12-31T23:00:00.000Z',
  expired_url: null,
  max_scans: 500,
  redirect_status: 302 as const,
  forward_path: false,
  status: 'active' as const,
  availability: 'available' as const,
  blocked: null,
  scans_count: 42,
  last_scanned_at: LATER,
  created_by: ADA.id,
  archived_at: null,
  created_at: AT,
  updated_at: AT,
};
const link = {
  id: LINK_ID,
  short_code: 'spring',
  short_url: 'https://go.example.com/spring',
  short_url_unicode: null,
  ...content,
  domain: null,
  folder_id: FOLDER_ID,
  tags: [{ id: TAG_ID, name: 'seasonal', color: '#2e7d32' }],
};
const style = {
  foreground: '#1a237e',
  background: '#ffffff',
  error_correction: 'M' as const,
  margin: 4,
  logo_url: null,
};
const qrCode = {
  id: QR_CODE_ID,
  short_code: 'k7m2q9xhd',
  short_url: 'https://qr.example.com/k7m2q9xhd',
  ...content,
  style,
};
const newContent = {
  destination_url: DESTINATION,
  title: 'Spring sale',
  campaign_tag: CAMPAIGN,
  utm_defaults: { utm_source: 'newsletter', utm_medium: 'email' },
};
const bulkResults = (id: string, noun: string, unknownId: string) => ({
  data: [
    { id, status: 200 },
    {
      id: unknownId,
      status: 404,
      error: { code: 'not_found', message: `There is no ${noun} ${unknownId} in this workspace.` },
    },
  ],
});
const importSummary = {
  id: 'imp_01KG9R7E0F1G2H3J4K5M6N7P8Q',
  status: 'completed_with_errors' as const,
  options: { on_duplicate: 'skip' as const, dry_run: false },
  total_rows: 2,
  processed_rows: 2,
  created_count: 1,
  updated_count: 0,
  unchanged_count: 0,
  skipped_count: 0,
  failed_count: 1,
  created_at: AT,
  started_at: AT,
  finished_at: AT,
  rows_kept_until: '2026-03-02T12:00:00.000Z',
};
const rowProblem = {
  field: 'destination_url',
  code: 'validation_failed' as const,
  problem_code: 'url_invalid' as const,
  message: 'The destination_url must begin with https:// or http://.',
};
const linkImport = { ...importSummary, errors: [{ row: 2, ...rowProblem }] };
const importRow = {
  row: 2,
  outcome: 'failed' as const,
  link_id: null,
  short_code: null,
  short_url: null,
  errors: [rowProblem],
};
const folder = {
  id: FOLDER_ID,
  name: 'Spring',
  description: 'Everything for the spring sale',
  color: '#2e7d32',
  links_count: 1,
  created_at: AT,
  updated_at: AT,
};
const tag = { id: TAG_ID, name: 'seasonal', color: '#2e7d32', links_count: 1, created_at: AT, updated_at: AT };
const utmTemplate = {
  id: 'utm_01KG9R8F1G2H3J4K5M6N7P8Q9R',
  name: 'Newsletter',
  description: null,
  ...UTM,
  created_at: AT,
  updated_at: AT,
};
const conversion = {
  id: 'cnv_01KG9R9G2H3J4K5M6N7P8Q9R0S',
  link_id: LINK_ID,
  short_code: 'spring',
  source: 'checkout',
  meta: { order: 'A-1001' },
  value: 49.9,
  currency: 'EUR',
  external_id: 'order-A-1001',
  occurred_at: AT,
  recorded_at: AT,
  status: 'recorded' as const,
  rejection: null,
  updated_at: AT,
};

const scan = {
  id: 'scn_01KG9RAH3J4K5M6N7P8Q9R0S1T',
  short_code: 'spring',
  scanned_at: LATER,
  country: 'DE',
  region: 'Berlin',
  city: 'Berlin',
  device: 'mobile' as const,
  browser: 'Safari',
  os: 'iOS',
  referrer: 'mail.example.com',
  campaign: CAMPAIGN,
  is_unique: true,
  is_bot: false,
};
const devices = [{ device: 'mobile' as const, scans: 42, share: 1 }];
const selectionMeta = {
  start_date: '2026-02-01',
  end_date: '2026-02-01',
  timezone: 'UTC',
  data_as_of: LATER,
  rows_kept_from: null,
  unique_visitors_estimated: false,
};
const places = { country: null, region: null, city: null };
const scanFilters = {
  ...places,
  device: null,
  browser: null,
  os: null,
  language: null,
  referrer: null,
  include_bots: false,
};
const organized = { domain_id: null, tag_id: null, folder_id: null };
const linkFilters = { link_id: null, campaign: CAMPAIGN, trigger: null, ...scanFilters, ...organized };
const qrFilters = { qr_code_id: null, campaign: CAMPAIGN, ...scanFilters };
const summaryMeta = <F>(filters: F) => ({ ...selectionMeta, filters, interval: 'day' as const, compared_with: null });
const breakdownMeta = { total: 42, limit: 10, truncated: false, truncated_dimensions: [] };
const breakdownsMeta = <F>(filters: F) => ({ ...selectionMeta, filters, ...breakdownMeta });
const {
  rows_kept_from: _rowsKeptFrom,
  unique_visitors_estimated: _estimated,
  ...conversionsMeta
} = {
  ...breakdownsMeta({ link_id: null, campaign: CAMPAIGN, source: null, ...organized }),
  total: 3,
  currencies_truncated: false,
};
const country = { value: 'DE', scans: 42, unique_visitors: 30, share: 1 };
const conversionValues = [{ currency: 'EUR', value: 149.7 }];
const converted = { value: LINK_ID, conversions: 3, share: 1, conversion_values: conversionValues };
const scannedName = { ...country, short_code: 'spring', title: 'Spring' };
const scansPage = <T>(row: T) => {
  const { meta, ...rest } = page(row, `${API}/acme/analytics/scans`);
  return { ...rest, meta: { ...meta, next_cursor: null, rows_kept_from: null } };
};
const scansByDay = (id: string) => {
  const { unique_visitors_estimated: _estimated, ...meta } = selectionMeta;
  return { data: { [id]: [{ date: '2026-02-01', scans: 42 }] }, meta };
};
const filterMeta = { truncated: false, next_cursor: null };
const filterLink = { id: LINK_ID, short_code: 'spring', title: 'Spring sale' };

const webhook = {
  id: 'whk_01KG9RBJ4K5M6N7P8Q9R0S1T2V',
  url: 'https://hooks.example.com/waymark',
  description: 'Warehouse',
  event_types: ['scan.logged'],
  enabled: true,
  status: 'healthy' as const,
  consecutive_failures: 0,
  created_at: AT,
  updated_at: AT,
};
const SIGNING_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const attempt: z.output<typeof deliveryAttempt> = {
  id: 'att_01KG9RCK5M6N7P8Q9R0S1T2V3W',
  delivery_id: 'dlv_01KG9RDM6N7P8Q9R0S1T2V3W4X',
  event_id: 'evt_01KG9REN7P8Q9R0S1T2V3W4X5Y',
  event_type: 'scan.logged',
  attempt_number: 1,
  status: 'failed',
  status_code: 503,
  error: { type: 'http_error', message: 'The receiver answered 503.' },
  duration_ms: 87,
  created_at: LATER,
  attempted_at: LATER,
  next_retry_at: LATER,
};
const delivery = {
  id: attempt.delivery_id,
  event_id: attempt.event_id,
  event_type: attempt.event_type,
  status: attempt.status,
  payload: { id: attempt.event_id, type: attempt.event_type, created_at: LATER, workspace: 'acme', data: {} },
  attempts: [
    {
      ...attempt,
      response: { headers: { 'content-type': 'text/plain' }, body: 'Try again later.', is_truncated: false },
    },
  ],
};
const cursorPage = <T>(row: T, path: string) => {
  const { meta, ...rest } = page(row, path);
  return { ...rest, meta: { ...meta, truncated: false, next_cursor: null } };
};
const deliveryPage = <T>(row: T) => cursorPage(row, `${API}/acme/webhooks/${webhook.id}/deliveries`);
const listedDomain = {
  id: 'dom_01KG9RFP8Q9R0S1T2V3W4X5Y6Z',
  hostname: 'go.acme.com',
  hostname_unicode: null,
  status: 'pending' as const,
  dns: {
    txt: { name: '_waymark-challenge.go.acme.com', value: 'waymark-verification=3b9f…' },
    cname: { name: 'go.acme.com', target: 'go.example.com' },
  },
  root_url: null,
  not_found_url: null,
  expired_url: null,
  indexable: false,
  last_checked_at: null,
  last_error: null,
  verified_at: null,
  created_at: AT,
};
const domain = { ...listedDomain, apple_app_site_association: null, assetlinks: null };
const session: SessionBody = {
  id: 'ses_01KG9RGQ9R0S1T2V3W4X5Y6Z7A',
  created_at: AT,
  last_seen_at: AT,
  ip_address: '203.0.113.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  current: true,
};
const auditEntry: AuditEntryBody = {
  id: 'aud_01KG9RGQ9R0S1T2V3W4X5Y6Z7A',
  action: 'link.updated',
  actor: { type: 'user', ...ADA, token_id: null, token: null },
  target: { type: 'link', id: LINK_ID, label: 'Spring sale' },
  changes: { title: { from: 'Spring', to: 'Spring sale' } },
  ip_address: '203.0.113.7',
  request_id: 'f3a1c2d4',
  created_at: AT,
};

/**
 * The type ensures that every route has an example; tests check each against its schema and send it to the running
 * system.
 */
const EXAMPLES: Examples = {
  'user.show': { response: item(user) },
  'user.update': { body: { name: 'Ada Lovelace' }, response: { data: { ...user, token: null } } },
  'user.changePassword': {
    body: { current_password: 'a long password', new_password: 'a longer password', revoke_tokens: false },
    response: { data: { ended_sessions: 2, revoked_tokens: 0 }, meta: { live_tokens: 3 } },
  },
  'user.resetPassword': {
    body: { token: LINK_TOKEN, new_password: 'a longer password', revoke_tokens: true },
    response: {
      data: { ended_sessions: 2, revoked_tokens: 3, totp_disabled: false, email_confirmed: false },
      meta: { live_tokens: 0 },
    },
  },
  'user.requestPasswordReset': { body: { email: ADA.email } },
  'user.startTotp': {
    response: item({
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      otpauth_url:
        'otpauth://totp/Waymark%20(go.example.com):ada%40example.com?issuer=Waymark%20(go.example.com)&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
    }),
  },
  'user.confirmTotp': {
    body: { code: '492039' },
    response: item({ recovery_codes: ['7k3m-2q9x-h4wd-p8rt', 'c5vz-9n2e-6y1b-j7sg'] }),
  },
  'user.disableTotp': { body: { password: 'a long password' } },
  'session.list': { response: list(session) },
  'session.end': {},
  'session.endOthers': {},
  'session.create': {
    body: { email: ADA.email, password: 'a long password' },
    response: { data: { ...user, token: null }, meta: { csrf_token: 'mVt0c2gJ0l7X9Qw3' } },
  },
  'session.reauthenticate': { body: { password: 'a long password' } },
  'session.methods': { response: item({ single_sign_on: true }) },
  'session.startOidc': {},
  'session.finishOidc': {},
  'session.delete': {},
  'workspaces.list': { response: page(workspace, API) },
  'workspaces.create': { body: { slug: 'acme', name: 'Acme' }, response: item(workspace) },
  'workspaces.show': { response: item(workspaceDetails) },
  'workspaces.update': { body: { name: 'Acme' }, response: item(workspaceDetails) },
  'workspaces.delete': { body: { confirm: 'acme' } },
  'members.list': { response: list(member) },
  'members.add': { body: { email: 'grace@example.com', role: 'editor' }, response: issuedInvitation },
  'invitations.list': { response: list(invitation) },
  'invitations.create': { body: { email: 'grace@example.com', role: 'editor' }, response: issuedInvitation },
  'invitations.delete': {},
  'invitations.show': { response: shownInvitation },
  'invitations.accept': { body: newAccount, response: accepted },
  'invitations.lookUp': { body: { token: LINK_TOKEN }, response: shownInvitation },
  'invitations.acceptByToken': { body: { token: LINK_TOKEN, ...newAccount }, response: accepted },
  'user.acceptInvitation': { response: accepted },
  'user.declineInvitation': {},
  'members.leave': {},
  'members.update': { body: { role: 'editor' }, response: item(member) },
  'members.remove': {},
  'tokens.list': { response: list(token) },
  'tokens.create': {
    body: { name: 'build server', scope: 'read_write' },
    response: { data: token, meta: { plaintext_token: 'wmk_3fT9…' } },
  },
  'tokens.revoke': {},
  'links.list': { response: cursorPage(link, `${API}/acme/links`) },
  'links.create': { body: { ...newContent, short_code: 'spring' }, response: item(link) },
  'links.bulk': {
    body: { ids: [LINK_ID, 'lnk_unknown'], action: 'archive' },
    response: bulkResults(LINK_ID, 'link', 'lnk_unknown'),
  },
  'links.export': {},
  'links.show': { response: item(link) },
  'links.update': { body: { title: 'Spring sale', status: 'active' }, response: item(link) },
  'links.delete': {},
  'links.qr': {},
  'imports.create': {
    body: {
      links: [{ destination_url: DESTINATION, title: 'Spring sale' }, { destination_url: 'no address' }],
      options: { on_duplicate: 'skip' },
    },
    response: item(linkImport),
  },
  'imports.list': { response: page(importSummary, `${API}/acme/links/imports`) },
  'imports.show': {
    response: {
      ...item(linkImport),
      meta: { truncated: false, rows_url: `${API}/acme/links/imports/${linkImport.id}/rows` },
    },
  },
  'imports.rows': { response: page(importRow, `${API}/acme/links/imports/${linkImport.id}/rows`) },
  'qr_codes.list': { response: cursorPage(qrCode, `${API}/acme/qr-codes`) },
  'qr_codes.create': { body: { ...newContent, style: { foreground: '#1a237e' } }, response: item(qrCode) },
  'qr_codes.bulk': {
    body: { ids: [QR_CODE_ID, 'qr_unknown'], action: 'archive' },
    response: bulkResults(QR_CODE_ID, 'QR code', 'qr_unknown'),
  },
  'qr_codes.export': {},
  'qr_codes.show': { response: item(qrCode) },
  'qr_codes.update': { body: { title: 'Spring sale', style: { margin: 4 } }, response: item(qrCode) },
  'qr_codes.delete': {},
  'qr_codes.image': {},
  'links.explain': {
    body: { link_id: LINK_ID, language: 'de' },
    response: item(explanation),
  },
  'qr_codes.explain': { body: { qr_code_id: QR_CODE_ID, language: 'de' }, response: item(explanation) },
  'folders.list': { response: list(folder) },
  'folders.create': { body: { name: 'Spring', color: '#2e7d32' }, response: item(folder) },
  'folders.show': { response: item(folder) },
  'folders.update': { body: { description: 'Everything for the spring sale' }, response: item(folder) },
  'folders.delete': {},
  'tags.list': { response: list(tag) },
  'tags.create': { body: { name: 'seasonal', color: '#2e7d32' }, response: item(tag) },
  'tags.show': { response: item(tag) },
  'tags.update': { body: { color: '#2e7d32' }, response: item(tag) },
  'tags.delete': {},
  'utm_templates.list': { response: list(utmTemplate) },
  'utm_templates.create': {
    body: { name: 'Newsletter', utm_source: 'newsletter', utm_medium: 'email' },
    response: item(utmTemplate),
  },
  'utm_templates.show': { response: item(utmTemplate) },
  'utm_templates.update': { body: { utm_campaign: CAMPAIGN }, response: item(utmTemplate) },
  'utm_templates.delete': {},
  'conversions.list': { response: cursorPage(conversion, `${API}/acme/conversions`) },
  'conversions.record': {
    body: { short_code: 'spring', source: 'checkout', value: 49.9, currency: 'EUR', external_id: 'order-A-1001' },
    response: item(conversion),
  },
  'analytics.summary': {
    response: {
      data: {
        kpis: {
          total_scans: 42,
          unique_visitors: 30,
          conversions: 3,
          conversion_rate: 0.1,
          conversion_values: conversionValues,
          active_links: 1,
          bot_scans: 2,
        },
        trend: [
          { date: '2026-02-01', starts_at: '2026-02-01T00:00:00.000Z', scans: 42, unique_visitors: 30, conversions: 3 },
        ],
        devices,
      },
      meta: { ...summaryMeta(linkFilters), currencies_truncated: false },
    },
  },
  'analytics.qr_summary': {
    response: {
      data: {
        kpis: { total_scans: 42, unique_visitors: 30, active_qr_codes: 1, bot_scans: 2 },
        trend: [{ date: '2026-02-01', starts_at: '2026-02-01T00:00:00.000Z', scans: 42, unique_visitors: 30 }],
        devices,
      },
      meta: summaryMeta(qrFilters),
    },
  },
  'analytics.scans': {
    response: scansPage({ ...scan, language: 'de', link_id: LINK_ID, trigger: 'link' as const }),
  },
  'analytics.qr_scans': { response: scansPage({ ...scan, language: 'de', qr_code_id: QR_CODE_ID }) },
  'analytics.export': {},
  'analytics.qr_export': {},
  'analytics.breakdown': {
    response: {
      data: [country],
      meta: {
        dimension: 'country',
        total: 42,
        limit: 25,
        truncated: false,
        rows_kept_from: null,
        unique_visitors_estimated: false,
      },
    },
  },
  'analytics.breakdowns': {
    response: {
      data: { country: [country], link: [{ ...scannedName, value: LINK_ID }] },
      meta: breakdownsMeta(linkFilters),
    },
  },
  'analytics.qr_breakdowns': {
    response: {
      data: { country: [country], qr_code: [{ ...scannedName, value: QR_CODE_ID }] },
      meta: breakdownsMeta(qrFilters),
    },
  },
  'analytics.conversion_breakdowns': {
    response: {
      data: {
        link: [{ ...converted, short_code: 'spring', title: 'Spring' }],
        source: [{ ...converted, value: 'checkout' }],
      },
      meta: conversionsMeta,
    },
  },
  'analytics.links': { response: scansByDay(LINK_ID) },
  'analytics.qr_codes': { response: scansByDay(QR_CODE_ID) },
  'analytics.filters': { response: { ...item({ links: [filterLink], campaigns: [CAMPAIGN] }), meta: filterMeta } },
  'analytics.qr_filters': {
    response: { ...item({ qr_codes: [{ ...filterLink, id: QR_CODE_ID }], campaigns: [CAMPAIGN] }), meta: filterMeta },
  },
  'webhooks.list': { response: list(webhook) },
  'webhooks.create': {
    body: { url: webhook.url, description: 'Warehouse', event_types: ['scan.logged'], enabled: true },
    response: { data: webhook, meta: { signing_secret: SIGNING_SECRET } },
  },
  'webhooks.show': { response: item(webhook) },
  'webhooks.update': {
    body: { rotate_secret: true },
    response: { data: webhook, meta: { signing_secret: SIGNING_SECRET } },
  },
  'webhooks.delete': {},
  'webhooks.test': { response: item({ ...attempt, event_type: 'webhook.test' }) },
  'webhooks.deliveries': { response: deliveryPage({ ...attempt, link_id: LINK_ID }) },
  'webhooks.qr_deliveries': { response: deliveryPage({ ...attempt, qr_code_id: QR_CODE_ID }) },
  'webhooks.delivery': { response: item({ ...delivery, link_id: LINK_ID }) },
  'webhooks.qr_delivery': { response: item({ ...delivery, qr_code_id: QR_CODE_ID }) },
  'webhooks.retry_delivery': { response: item(attempt) },
  'webhooks.replay': {
    body: { from: '2026-02-01T09:00:00Z', to: '2026-02-01T10:00:00Z', event_types: ['scan.logged'] },
    response: item({ deliveries: 128, from: LATER, to: LATER, event_types: ['scan.logged'] }),
  },
  'domains.list': { response: list(listedDomain) },
  'domains.create': { body: { hostname: domain.hostname }, response: item(domain) },
  'domains.show': { response: item(domain) },
  'domains.update': {
    body: { root_url: 'https://acme.example/', not_found_url: 'https://acme.example/not-found', indexable: true },
    response: item(domain),
  },
  'domains.delete': {},
  'domains.verify': { response: item({ ...domain, status: 'verifying' as const }) },
  'audit_logs.list': { response: cursorPage(auditEntry, `${API}/acme/audit-logs`) },
  'audit_logs.export': {},
  'audit_logs.verify': { response: item({ valid: true, checked: 128, first_break: null }) },
  'openapi.show': { response: { openapi: '3.1.1' } },
};

export const exampleOf = (name: RouteName): Example => EXAMPLES[name] as Example;
