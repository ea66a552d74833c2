import { newId } from '@waymark/contract/ids';
import { totpCode } from '@waymark/testing/totp';
import { waitFor } from '@waymark/testing/wait-for';
import type { Ask, Caller } from './caller.js';

/** A request that is made once, and what it leaves in the audit log. */
export interface Case {
  /** Method and path as documented; `…` is the workspace, `{}` a parameter. */
  route: string;
  situation: string;
  request: (caller: Caller) => Promise<Asked> | Asked;
  status: number;
  /** The actions of its entries; a request that changes nothing leaves none. */
  leaves: string[];
  /** The target type of the entries. */
  target?: string;
  /** Who does it, if not the owner. */
  by?: 'outsider';
}
interface Asked extends Ask {
  /** Values of the parameters. */
  ids?: string[];
  /** Where the entries are, if not in the demo workspace. */
  workspace?: string;
}

let made = 0;
/** A unique name. */
const fresh = (): string => `x${process.pid}-${(made += 1)}`;

const DESTINATION = 'https://example.com/';
const outsider = (caller: Caller) => caller.demo.users['outsider']!.email;

/** Makes the outsider a member by an invitation that they accept, unless they are one. */
async function newMember(caller: Caller): Promise<string> {
  const members = await caller.made('GET', '…/members');
  const member = members.find(({ user }: { user: { email: string } }) => user.email === outsider(caller));
  if (member) return member.user.id as string;
  const { token } = await newInvitation(caller);
  const headers = await caller.signIn(caller.demo.users['outsider']);
  const { body } = await caller.call('POST', `/invitations/${token}/accept`, { as: 'nobody', headers });
  return body.data.user.id as string;
}

async function without(caller: Caller): Promise<void> {
  await caller.call('DELETE', `…/members/${await newMember(caller)}`);
}

async function newInvitation(caller: Caller, fields: object = {}): Promise<{ id: string; token: string }> {
  const { status, body } = await caller.call('POST', '…/invitations', { body: { role: 'viewer', ...fields } });
  if (status !== 201) throw new Error(`an invitation answered ${status}: ${JSON.stringify(body)}`);
  return { id: body.data.id, token: body.meta.invite_url.split('#').at(-1) };
}

/** An invitation to the outsider, and the outsider's browser. */
async function ownInvitation(caller: Caller) {
  await without(caller);
  const { data } = (await caller.call('GET', '…/invitations')).body;
  for (const { id, email } of data) if (email === outsider(caller)) await caller.call('DELETE', `…/invitations/${id}`);
  const { id, token } = await newInvitation(caller, { email: outsider(caller) });
  return { ids: [id], token, as: 'nobody' as const, headers: await caller.signIn(caller.demo.users['outsider']) };
}

const newToken = (caller: Caller) => caller.made('POST', '…/tokens', { name: fresh() });
const newWebhook = (caller: Caller, type = 'scan.logged') =>
  caller.made('POST', '…/webhooks', { url: 'http://127.0.0.1:65535/hook', event_types: [type] });
const DOMAIN_SETTINGS = {
  root_url: DESTINATION,
  not_found_url: DESTINATION,
  expired_url: DESTINATION,
  indexable: true,
  apple_app_site_association: { webcredentials: { apps: ['ABCDE12345.com.example.app'] } },
  assetlinks: [{ relation: ['delegate_permission/common.get_login_creds'], target: { namespace: 'android_app' } }],
};
const newDomain = (caller: Caller) => caller.made('POST', '…/domains', { hostname: `${fresh()}.example.com` });

/** Links and QR codes, which differ here only in their names. */
function contentCases(path: string, type: string): Case[] {
  const make = (caller: Caller, fields?: object) =>
    caller.made('POST', path, { destination_url: DESTINATION, ...fields });
  const patch = (situation: string, body: object, leaves: string[], before?: object): Case => ({
    route: `PATCH ${path}/{}`,
    situation,
    request: async (caller) => ({ ids: [(await make(caller, before)).id], body }),
    status: 200,
    leaves: leaves.map((verb) => `${type}.${verb}`),
    target: type,
  });
  return [
    {
      route: `POST ${path}`,
      situation: 'with a destination',
      request: () => ({ body: { destination_url: DESTINATION, title: 'New' } }),
      status: 201,
      leaves: [`${type}.created`],
      target: type,
    },
    {
      route: `POST ${path}`,
      situation: 'that is refused',
      request: () => ({ body: { destination_url: 'none' } }),
      status: 422,
      leaves: [],
    },
    {
      route: `POST ${path}`,
      situation: 'a second time with the same idempotency key',
      request: async (caller) => {
        const [body, headers] = [{ destination_url: DESTINATION }, { 'idempotency-key': fresh() }];
        await caller.call('POST', path, { body, headers });
        return { body, headers };
      },
      status: 201,
      leaves: [],
    },
    patch('of the title', { title: 'Other' }, ['updated']),
    patch('of title and status at once', { title: 'Other', status: 'archived' }, ['archived']),
    patch('of status and destination at once', { status: 'active', destination_url: `${DESTINATION}2` }, ['reactivated'], { status: 'archived' }), // prettier-ignore
    patch('to what it was', { title: 'Same' }, [], { title: 'Same' }),
    patch('of nothing', {}, []),
    {
      route: `PATCH ${path}/{}`,
      situation: 'of none that there is',
      request: () => ({ ids: ['none_1'], body: { title: 'x' } }),
      status: 404,
      leaves: [],
    },
    {
      route: `DELETE ${path}/{}`,
      situation: 'of one',
      request: async (caller) => ({ ids: [(await make(caller)).id] }),
      status: 204,
      leaves: [`${type}.deleted`],
      target: type,
    },
    {
      route: `POST ${path}/bulk`,
      situation: 'of two that change, one that is so already, and one that does not exist',
      request: async (caller) => {
        const [first, second] = [await make(caller), await make(caller)];
        const archived = await make(caller, { status: 'archived' });
        return { body: { ids: [first.id, archived.id, second.id, 'none_1'], action: 'archive' } };
      },
      status: 200,
      leaves: [`${type}.archived`, `${type}.archived`],
      target: type,
    },
    {
      route: `POST ${path}/bulk`,
      situation: 'that is refused',
      request: async (caller) => ({ body: { ids: [(await make(caller)).id], action: 'none' } }),
      status: 422,
      leaves: [],
    },
    {
      route: `GET ${path}/export`,
      situation: 'without filters',
      request: () => ({}),
      status: 200,
      leaves: [`${type}.exported`],
      target: 'workspace',
    },
  ];
}

/** Folders, tags and templates. */
function namedCases(path: string, type: string): Case[] {
  const make = (caller: Caller) => caller.made('POST', path, { name: fresh() });
  return [
    {
      route: `POST ${path}`,
      situation: 'with a name',
      request: () => ({ body: { name: fresh() } }),
      status: 201,
      leaves: [`${type}.created`],
      target: type,
    },
    {
      route: `PATCH ${path}/{}`,
      situation: 'of the name',
      request: async (caller) => ({ ids: [(await make(caller)).id], body: { name: fresh() } }),
      status: 200,
      leaves: [`${type}.updated`],
      target: type,
    },
    {
      route: `PATCH ${path}/{}`,
      situation: 'of nothing',
      request: async (caller) => ({ ids: [(await make(caller)).id], body: {} }),
      status: 200,
      leaves: [],
    },
    {
      route: `DELETE ${path}/{}`,
      situation: 'of one',
      request: async (caller) => ({ ids: [(await make(caller)).id] }),
      status: 204,
      leaves: [`${type}.deleted`],
      target: type,
    },
  ];
}

/**
 * Every route that changes something, and every export. Written by hand from the documentation, never derived from the
 * code. A new route needs a new line here, or the test fails.
 */
export const CASES: Case[] = [
  {
    route: 'POST /session',
    situation: 'with the right password',
    request: ({ owner: { email, password } }) => ({ as: 'nobody', body: { email, password } }),
    status: 200,
    leaves: ['session.created'],
    target: 'user',
  },
  {
    route: 'POST /session',
    situation: 'with a wrong password',
    request: ({ owner: { email } }) => ({ as: 'nobody', body: { email, password: 'not the password' } }),
    status: 401,
    leaves: ['session.failed'],
    target: 'user',
  },
  {
    route: 'DELETE /session',
    situation: 'of a browser',
    request: async (caller) => ({ as: 'nobody', headers: await caller.signIn() }),
    status: 204,
    leaves: ['session.deleted'],
    target: 'user',
  },
  {
    route: 'DELETE /sessions/{}',
    situation: 'of a browser, by its id',
    request: async (caller) => {
      const headers = await caller.signIn();
      const { body } = await caller.call('GET', '/sessions', { as: 'nobody', headers });
      return { as: 'nobody', headers, ids: [body.data[0].id] };
    },
    status: 204,
    leaves: ['session.deleted'],
    target: 'user',
  },
  {
    route: 'DELETE /sessions',
    situation: 'with another session',
    request: async (caller) => {
      await caller.call('DELETE', '/sessions', { as: 'nobody', headers: await caller.signIn() });
      return { as: 'nobody', headers: await caller.signIn() };
    },
    status: 204,
    leaves: ['session.deleted'],
    target: 'user',
  },
  {
    route: 'POST /session/reauthenticate',
    situation: 'with the password',
    request: ({ owner: { password } }) => ({ as: 'browser', body: { password } }),
    status: 204,
    leaves: [],
  },
  {
    route: 'PATCH /user',
    situation: 'with another name',
    request: async (caller) => ({ as: 'nobody', headers: await caller.signIn(), body: { name: fresh() } }),
    status: 200,
    leaves: ['user.updated'],
    target: 'user',
  },
  {
    route: 'POST /user/password',
    situation: 'with the current password, which stays',
    request: async (caller) => ({
      as: 'nobody',
      headers: await caller.signIn(),
      body: { current_password: caller.owner.password, new_password: caller.owner.password },
    }),
    status: 200,
    leaves: ['user.password_changed'],
    target: 'user',
  },
  {
    route: 'POST /password-reset',
    situation: 'with a link that does not exist',
    request: () => ({ as: 'nobody', body: { token: fresh(), new_password: 'a password that is not set' } }),
    status: 422,
    leaves: [],
  },
  {
    route: 'POST /password-reset-request',
    situation: 'without an SMTP server',
    request: ({ owner: { email } }) => ({ as: 'nobody', body: { email } }),
    status: 404,
    leaves: [],
  },
  {
    route: 'POST /user/totp',
    situation: 'of a browser: nothing is enabled yet',
    request: () => ({ as: 'browser' }),
    status: 200,
    leaves: [],
  },
  {
    route: 'POST /user/totp/confirm',
    situation: 'with the code of the secret',
    request: async (caller) => {
      const { secret } = await caller.made('POST', '/user/totp', undefined, 'browser');
      return { as: 'browser', body: { code: totpCode(secret) } };
    },
    status: 200,
    leaves: ['user.totp_enabled'],
    target: 'user',
  },
  {
    route: 'DELETE /user/totp',
    situation: 'with the password',
    request: ({ owner: { password } }) => ({ as: 'browser', body: { password } }),
    status: 204,
    leaves: ['user.totp_disabled'],
    target: 'user',
  },
  {
    route: 'POST /workspaces',
    situation: 'with a slug and a name',
    request: () => {
      const slug = fresh();
      return { as: 'browser', body: { slug, name: 'New' }, workspace: slug };
    },
    status: 201,
    leaves: ['member.added', 'workspace.created'],
  },
  {
    route: 'PATCH …',
    situation: 'of the name',
    request: () => ({ body: { name: fresh() } }),
    status: 200,
    leaves: ['workspace.updated'],
    target: 'workspace',
  },
  {
    route: 'DELETE …/members/me',
    situation: 'by the last owner',
    request: () => ({}),
    status: 409,
    leaves: [],
  },
  {
    // A deletion erases the audit log with the workspace.
    route: 'DELETE …',
    situation: 'confirmed with another slug',
    request: () => ({ as: 'browser', body: { confirm: 'another' } }),
    status: 422,
    leaves: [],
  },
  {
    route: 'POST …/members',
    situation: 'of a user who is none',
    request: async (caller) => {
      await ownInvitation(caller).then(({ ids: [id] }) => caller.call('DELETE', `…/invitations/${id}`));
      return { body: { email: outsider(caller), role: 'viewer' } };
    },
    status: 201,
    leaves: ['invitation.created'],
    target: 'invitation',
  },
  {
    route: 'POST …/members',
    situation: 'of a user who is one',
    request: async (caller) => {
      await newMember(caller);
      return { body: { email: outsider(caller), role: 'viewer' } };
    },
    status: 422,
    leaves: [],
  },
  {
    route: 'POST …/invitations',
    situation: 'with a role',
    request: () => ({ body: { role: 'viewer' } }),
    status: 201,
    leaves: ['invitation.created'],
    target: 'invitation',
  },
  {
    route: 'DELETE …/invitations/{}',
    situation: 'of one',
    request: async (caller) => ({ ids: [(await newInvitation(caller)).id] }),
    status: 204,
    leaves: ['invitation.deleted'],
    target: 'invitation',
  },
  {
    route: 'POST /invitations/{}/accept',
    by: 'outsider',
    situation: 'by a browser',
    request: async (caller) => {
      const { token, as, headers } = await ownInvitation(caller);
      return { ids: [token], as, headers };
    },
    status: 200,
    leaves: ['invitation.accepted', 'member.added'],
  },
  {
    route: 'POST /invitations/look-up',
    by: 'outsider',
    situation: 'of one',
    request: async (caller) => ({ as: 'nobody', body: { token: (await newInvitation(caller)).token } }),
    status: 200,
    leaves: [],
  },
  {
    route: 'POST /invitations/accept',
    by: 'outsider',
    situation: 'by a browser',
    request: async (caller) => {
      const { token, as, headers } = await ownInvitation(caller);
      return { as, headers, body: { token } };
    },
    status: 200,
    leaves: ['invitation.accepted', 'member.added'],
  },
  {
    route: 'POST /user/invitations/{}/accept',
    by: 'outsider',
    situation: 'of one',
    request: async (caller) => {
      const { ids, as, headers } = await ownInvitation(caller);
      return { ids, as, headers };
    },
    status: 200,
    leaves: ['invitation.accepted', 'member.added'],
  },
  {
    route: 'POST /user/invitations/{}/decline',
    by: 'outsider',
    situation: 'of one',
    request: async (caller) => {
      const { ids, as, headers } = await ownInvitation(caller);
      return { ids, as, headers };
    },
    status: 204,
    leaves: ['invitation.declined'],
    target: 'invitation',
  },
  {
    route: 'PATCH …/members/{}',
    situation: 'of the role',
    request: async (caller) => {
      await without(caller);
      return { ids: [await newMember(caller)], body: { role: 'editor' } };
    },
    status: 200,
    leaves: ['member.role_changed'],
    target: 'user',
  },
  {
    route: 'PATCH …/members/{}',
    situation: 'to the same role',
    request: async (caller) => {
      await without(caller);
      return { ids: [await newMember(caller)], body: { role: 'viewer' } };
    },
    status: 200,
    leaves: [],
  },
  {
    route: 'DELETE …/members/{}',
    situation: 'of one',
    request: async (caller) => ({ ids: [await newMember(caller)] }),
    status: 204,
    leaves: ['member.removed'],
    target: 'user',
  },
  {
    route: 'POST …/tokens',
    situation: 'by a browser',
    request: () => ({ as: 'browser', body: { name: fresh() } }),
    status: 201,
    leaves: ['token.created'],
    target: 'token',
  },
  {
    route: 'POST …/tokens',
    situation: 'by a program',
    request: () => ({ body: { name: fresh(), scope: 'read_only' } }),
    status: 201,
    leaves: ['token.created'],
    target: 'token',
  },
  {
    route: 'DELETE …/tokens/{}',
    situation: 'of one',
    request: async (caller) => ({ ids: [(await newToken(caller)).id] }),
    status: 204,
    leaves: ['token.revoked'],
    target: 'token',
  },
  {
    route: 'DELETE …/tokens/{}',
    situation: 'of one that is none',
    request: () => ({ ids: [newId('tok')] }),
    status: 404,
    leaves: [],
  },
  ...contentCases('…/links', 'link'),
  {
    route: 'POST …/links/import',
    situation: 'of two rows, each of which is a link of its own',
    request: () => ({ body: { links: [{ destination_url: DESTINATION }, { destination_url: DESTINATION }] } }),
    status: 202,
    leaves: ['link.created', 'link.created', 'link.import_completed', 'link.import_started'],
  },
  {
    route: 'POST …/links/import',
    situation: 'that only tries',
    request: () => ({ body: { links: [{ destination_url: DESTINATION }], options: { dry_run: true } } }),
    status: 202,
    leaves: ['link.import_completed', 'link.import_started'],
    target: 'import',
  },
  {
    route: 'POST …/links/import',
    situation: 'of nothing',
    request: () => ({ body: {} }),
    status: 422,
    leaves: [],
  },
  ...contentCases('…/qr-codes', 'qr_code'),
  {
    route: 'POST …/explain',
    situation: 'of a code that does not exist',
    request: (caller) => ({ body: { url: `${caller.demo.short_url}/${fresh()}` } }),
    status: 200,
    leaves: [],
  },
  ...namedCases('…/folders', 'folder'),
  ...namedCases('…/tags', 'tag'),
  ...namedCases('…/utm-templates', 'utm_template'),
  {
    route: 'POST …/conversions',
    situation: 'of a link',
    request: async (caller) => {
      const { id } = await caller.made('POST', '…/links', { destination_url: DESTINATION });
      return { body: { id, source: 'shop', value: 9.5, currency: 'EUR', meta: { 'a.b': { $c: 1 } } } };
    },
    status: 201,
    leaves: ['conversion.recorded'],
    target: 'conversion',
  },
  {
    route: 'POST …/conversions',
    situation: 'that is recorded already',
    request: async (caller) => {
      const { id } = await caller.made('POST', '…/links', { destination_url: DESTINATION });
      const body = { id, source: 'shop', external_id: fresh() };
      await caller.made('POST', '…/conversions', body);
      return { body };
    },
    status: 200,
    leaves: [],
  },
  {
    route: 'POST …/webhooks',
    situation: 'with a URL',
    request: () => ({ body: { url: 'http://127.0.0.1:65535/hook', event_types: ['scan.logged'] } }),
    status: 201,
    leaves: ['webhook.created'],
    target: 'webhook',
  },
  {
    route: 'PATCH …/webhooks/{}',
    situation: 'of the description',
    request: async (caller) => ({ ids: [(await newWebhook(caller)).id], body: { description: 'New' } }),
    status: 200,
    leaves: ['webhook.updated'],
    target: 'webhook',
  },
  {
    route: 'PATCH …/webhooks/{}',
    situation: 'that rotates the secret',
    request: async (caller) => ({
      ids: [(await newWebhook(caller)).id],
      body: { rotate_secret: true, description: 'x' },
    }),
    status: 200,
    leaves: ['webhook.secret_rotated'],
    target: 'webhook',
  },
  {
    route: 'PATCH …/webhooks/{}',
    situation: 'that disables',
    request: async (caller) => ({ ids: [(await newWebhook(caller)).id], body: { enabled: false } }),
    status: 200,
    leaves: ['webhook.disabled'],
    target: 'webhook',
  },
  {
    route: 'PATCH …/webhooks/{}',
    situation: 'to what it was',
    request: async (caller) => ({ ids: [(await newWebhook(caller)).id], body: { enabled: true } }),
    status: 200,
    leaves: [],
  },
  {
    route: 'DELETE …/webhooks/{}',
    situation: 'of one',
    request: async (caller) => ({ ids: [(await newWebhook(caller)).id] }),
    status: 204,
    leaves: ['webhook.deleted'],
    target: 'webhook',
  },
  {
    route: 'POST …/webhooks/{}/test',
    situation: 'of one',
    request: async (caller) => ({ ids: [(await newWebhook(caller)).id] }),
    status: 202,
    leaves: ['webhook.tested'],
    target: 'webhook',
  },
  {
    route: 'POST …/webhooks/{}/deliveries/{}/retry',
    situation: 'of none that there is',
    request: async (caller) => ({ ids: [(await newWebhook(caller)).id, newId('dlv')] }),
    status: 404,
    leaves: [],
  },
  {
    route: 'POST …/webhooks/{}/deliveries/{}/retry',
    situation: 'of one',
    request: async (caller) => {
      const { id } = await newWebhook(caller);
      return { ids: [id, (await caller.made('POST', `…/webhooks/${id}/test`)).delivery_id] };
    },
    status: 202,
    leaves: ['webhook.delivery_retried'],
    target: 'webhook',
  },
  {
    route: 'POST …/webhooks/{}/replay',
    situation: 'of a day with a delivery',
    request: async (caller) => {
      const isOfLinks = (await caller.call('GET', '…/links')).status === 200;
      const { id } = await newWebhook(caller, isOfLinks ? 'link.created' : 'qr_code.created');
      await caller.made('POST', isOfLinks ? '…/links' : '…/qr-codes', { destination_url: DESTINATION });
      await waitFor('a delivery', async () => (await caller.made('GET', `…/webhooks/${id}/deliveries`)).length > 0);
      return { ids: [id], body: { from: '2020-01-01', to: '2099-12-31' } };
    },
    status: 202,
    leaves: ['webhook.replayed'],
    target: 'webhook',
  },
  {
    route: 'POST …/webhooks/{}/replay',
    situation: 'of a day without any',
    request: async (caller) => ({
      ids: [(await newWebhook(caller)).id],
      body: { from: '2020-01-01', to: '2020-01-02' },
    }),
    status: 202,
    leaves: [],
  },
  {
    route: 'POST …/domains',
    situation: 'with a hostname',
    request: () => ({ body: { hostname: `${fresh()}.example.com` } }),
    status: 201,
    leaves: ['domain.created'],
    target: 'domain',
  },
  {
    route: 'POST …/domains',
    situation: 'with every setting',
    request: () => ({ body: { hostname: `${fresh()}.example.com`, ...DOMAIN_SETTINGS } }),
    status: 201,
    leaves: ['domain.created'],
    target: 'domain',
  },
  {
    route: 'PATCH …/domains/{}',
    situation: 'of every setting',
    request: async (caller) => ({ ids: [(await newDomain(caller)).id], body: DOMAIN_SETTINGS }),
    status: 200,
    leaves: ['domain.updated'],
    target: 'domain',
  },
  {
    route: 'PATCH …/domains/{}',
    situation: 'of the fallback',
    request: async (caller) => ({ ids: [(await newDomain(caller)).id], body: { not_found_url: DESTINATION } }),
    status: 200,
    leaves: ['domain.updated'],
    target: 'domain',
  },
  {
    route: 'PATCH …/domains/{}',
    situation: 'of nothing',
    request: async (caller) => ({ ids: [(await newDomain(caller)).id], body: {} }),
    status: 200,
    leaves: [],
  },
  {
    route: 'DELETE …/domains/{}',
    situation: 'of one',
    request: async (caller) => ({ ids: [(await newDomain(caller)).id] }),
    status: 204,
    leaves: ['domain.deleted'],
    target: 'domain',
  },
  {
    route: 'POST …/domains/{}/verify',
    situation: 'of one: what the check finds is an entry of its own',
    request: async (caller) => ({ ids: [(await newDomain(caller)).id] }),
    status: 202,
    leaves: ['domain.check_requested'],
    target: 'domain',
  },
  {
    route: 'GET …/audit-logs/export',
    situation: 'with filters',
    request: () => ({}),
    status: 200,
    leaves: ['audit_log.exported'],
    target: 'audit_log',
  },
  {
    route: 'GET …/analytics/export',
    situation: 'without filters',
    request: () => ({}),
    status: 200,
    leaves: ['analytics.exported'],
    target: 'analytics',
  },
];
