import type { Deployment } from '@waymark/contract/deployments';
import { UNVERSIONED_PREFIX, V1_PREFIX, type ServiceName } from '@waymark/contract/route';
import type { Ability, Role } from '@waymark/contract/roles';

/**
 * Who may call which route. Written by hand from the API documents; never derive it from the code, because the tests
 * compare the code with it. A new route is a new line here.
 *
 * `access`: `public`; `anyone` = public, and a signed-in browser as its user; `session` = a signed-in browser; `user` = any valid credential; `read` and `write` = a member
 * whose credential has this ability for the workspace, in one of `roles`; `own` = `write` in a signed-in browser. `answer`: the status for an authorized caller
 * in the test, where ids do not exist and bodies are `{}`; the stand-ins for services other than auth answer 200. `…`
 * is `/workspaces/{workspace}`.
 */
const BUILT = `
  method  path                                   service    deployments  prefixes  access   roles                answer
  GET     /user                                  auth       links,qr     v1,old    user     -                    200
  PATCH   /user                                  auth       links,qr     v1        session  -                    200
  POST    /user/password                         auth       links,qr     v1        session  -                    422
  POST    /password-reset                        auth       links,qr     v1        public   -                    422
  POST    /password-reset-request                auth       links,qr     v1        public   -                    422
  POST    /user/totp                             auth       links,qr     v1        session  -                    200
  POST    /user/totp/confirm                     auth       links,qr     v1        session  -                    422
  DELETE  /user/totp                             auth       links,qr     v1        session  -                    422
  GET     /sessions                              auth       links,qr     v1        session  -                    200
  DELETE  /sessions                              auth       links,qr     v1        session  -                    204
  DELETE  /sessions/{id}                         auth       links,qr     v1        session  -                    404
  POST    /session                               auth       links,qr     v1        public   -                    422
  POST    /session/reauthenticate                auth       links,qr     v1        session  -                    422
  GET     /session/methods                       auth       links,qr     v1        public   -                    200
  GET     /session/oidc                          auth       links,qr     v1        public   -                    404
  GET     /session/oidc/callback                 auth       links,qr     v1        public   -                    404
  DELETE  /session                               auth       links,qr     v1        session  -                    204
  GET     /workspaces                            auth       links,qr     v1        user     -                    200
  POST    /workspaces                            auth       links,qr     v1        session  -                    422
  GET     …                                      auth       links,qr     v1        read     every                200
  PATCH   …                                      auth       links,qr     v1        write    owner,admin          200
  DELETE  …                                      auth       links,qr     v1        own      owner                422
  GET     …/members                              auth       links,qr     v1,old    read     owner,admin          200
  POST    …/members                              auth       links,qr     v1,old    write    owner,admin          422
  GET     …/invitations                          auth       links,qr     v1        read     owner,admin          200
  POST    …/invitations                          auth       links,qr     v1        write    owner,admin          422
  DELETE  …/invitations/{id}                     auth       links,qr     v1        write    owner,admin          404
  GET     /invitations/{id}                      auth       links,qr     v1        public   -                    404
  POST    /invitations/{id}/accept               auth       links,qr     v1        anyone   -                    404
  POST    /invitations/look-up                   auth       links,qr     v1        public   -                    422
  POST    /invitations/accept                    auth       links,qr     v1        anyone   -                    422
  POST    /user/invitations/{id}/accept          auth       links,qr     v1        session  -                    404
  POST    /user/invitations/{id}/decline         auth       links,qr     v1        session  -                    404
  DELETE  …/members/me                           auth       links,qr     v1,old    write    every                400
  PATCH   …/members/{id}                         auth       links,qr     v1,old    write    owner,admin          404
  DELETE  …/members/{id}                         auth       links,qr     v1,old    write    owner,admin          404
  GET     …/tokens                               auth       links,qr     v1,old    read     every                200
  POST    …/tokens                               auth       links,qr     v1,old    write    every                422
  DELETE  …/tokens/{id}                          auth       links,qr     v1,old    write    every                404
  GET     …/links                                resource   links        v1,old    read     every                200
  POST    …/links                                resource   links        v1,old    write    owner,admin,editor   200
  POST    …/links/bulk                           resource   links        v1        write    owner,admin,editor   200
  GET     …/links/export                         resource   links        v1        read     every                200
  GET     …/links/{id}                           resource   links        v1,old    read     every                200
  PATCH   …/links/{id}                           resource   links        v1,old    write    owner,admin,editor   200
  DELETE  …/links/{id}                           resource   links        v1,old    write    owner                200
  POST    …/links/import                         resource   links        v1,old    write    owner,admin,editor   200
  GET     …/links/imports                        resource   links        v1,old    read     every                200
  GET     …/links/imports/{id}                   resource   links        v1,old    read     every                200
  GET     …/links/imports/{id}/rows              resource   links        v1,old    read     every                200
  POST    …/explain                              resource   links,qr     v1        read     every                200
  GET     …/links/{id}/qr                        resource   links        v1,old    read     every                200
  GET     …/folders                              resource   links        v1,old    read     every                200
  POST    …/folders                              resource   links        v1,old    write    owner,admin,editor   200
  GET     …/folders/{id}                         resource   links        v1,old    read     every                200
  PATCH   …/folders/{id}                         resource   links        v1,old    write    owner,admin,editor   200
  DELETE  …/folders/{id}                         resource   links        v1,old    write    owner,admin,editor   200
  GET     …/tags                                 resource   links        v1,old    read     every                200
  POST    …/tags                                 resource   links        v1,old    write    owner,admin,editor   200
  GET     …/tags/{id}                            resource   links        v1,old    read     every                200
  PATCH   …/tags/{id}                            resource   links        v1,old    write    owner,admin,editor   200
  DELETE  …/tags/{id}                            resource   links        v1,old    write    owner,admin,editor   200
  GET     …/utm-templates                        resource   links        v1,old    read     every                200
  POST    …/utm-templates                        resource   links        v1,old    write    owner,admin,editor   200
  GET     …/utm-templates/{id}                   resource   links        v1,old    read     every                200
  PATCH   …/utm-templates/{id}                   resource   links        v1,old    write    owner,admin,editor   200
  DELETE  …/utm-templates/{id}                   resource   links        v1,old    write    owner,admin,editor   200
  GET     …/qr-codes                             resource   qr           v1,old    read     every                200
  POST    …/qr-codes                             resource   qr           v1,old    write    owner,admin,editor   200
  POST    …/qr-codes/bulk                        resource   qr           v1        write    owner,admin,editor   200
  GET     …/qr-codes/export                      resource   qr           v1        read     every                200
  GET     …/qr-codes/{id}                        resource   qr           v1,old    read     every                200
  PATCH   …/qr-codes/{id}                        resource   qr           v1,old    write    owner,admin,editor   200
  DELETE  …/qr-codes/{id}                        resource   qr           v1,old    write    owner                200
  GET     …/qr-codes/{id}/image                  resource   qr           v1,old    read     every                200
  GET     …/conversions                          analytics  links        v1,old    read     owner,admin,analyst  200
  POST    …/conversions                          analytics  links        v1,old    write    every                200
  GET     …/analytics/summary                    analytics  links,qr     v1,old    read     owner,admin,analyst  200
  GET     …/analytics/scans                      analytics  links,qr     v1,old    read     owner,admin,analyst  200
  GET     …/analytics/export                     analytics  links,qr     v1,old    read     owner,admin,analyst  200
  GET     …/analytics/filters                    analytics  links,qr     v1,old    read     owner,admin,analyst  200
  GET     …/analytics/breakdown                  analytics  links        v1,old    read     owner,admin,analyst  200
  GET     …/analytics/breakdowns                 analytics  links,qr     v1        read     owner,admin,analyst  200
  GET     …/analytics/conversions/breakdowns     analytics  links        v1        read     owner,admin,analyst  200
  GET     …/analytics/links                      analytics  links        v1        read     owner,admin,analyst  200
  GET     …/analytics/qr-codes                   analytics  qr           v1        read     owner,admin,analyst  200
  GET     …/webhooks                             webhook    links,qr     v1,old    read     owner,admin          200
  POST    …/webhooks                             webhook    links,qr     v1,old    write    owner,admin          200
  GET     …/webhooks/{id}                        webhook    links,qr     v1,old    read     owner,admin          200
  PATCH   …/webhooks/{id}                        webhook    links,qr     v1,old    write    owner,admin          200
  DELETE  …/webhooks/{id}                        webhook    links,qr     v1,old    read     owner,admin          200
  POST    …/webhooks/{id}/test                   webhook    links,qr     v1,old    write    owner,admin          200
  GET     …/webhooks/{id}/deliveries             webhook    links,qr     v1,old    read     owner,admin          200
  GET     …/webhooks/{id}/deliveries/{id}        webhook    links,qr     v1,old    read     owner,admin          200
  POST    …/webhooks/{id}/deliveries/{id}/retry  webhook    links,qr     v1,old    write    owner,admin          200
  POST    …/webhooks/{id}/replay                 webhook    links,qr     v1,old    write    owner,admin          200
  GET     …/domains                              domain     links        v1,old    read     every                200
  POST    …/domains                              domain     links        v1,old    write    owner,admin          200
  GET     …/domains/{id}                         domain     links        v1,old    read     every                200
  PATCH   …/domains/{id}                         domain     links        v1,old    write    owner,admin          200
  DELETE  …/domains/{id}                         domain     links        v1,old    write    owner,admin          200
  POST    …/domains/{id}/verify                  domain     links        v1,old    write    owner,admin          200
  GET     …/audit-logs                           audit      links,qr     v1        read     owner,admin          200
  GET     …/audit-logs/export                    audit      links,qr     v1        read     owner,admin          200
  GET     …/audit-logs/verify                    audit      links,qr     v1        read     owner,admin          200
  GET     /openapi.json                          gateway    links,qr     v1        public   -                    200
`;

/** Planned routes, which must answer 404. Move a line up when its route exists. */
const NOT_BUILT = `
  method  path                                   service    deployments  prefixes  access   roles                answer
`;

export interface Policy {
  method: string;
  path: string;
  service: ServiceName | 'gateway';
  deployments: Deployment[];
  prefixes: string[];
  access: 'public' | 'anyone' | 'session' | 'user' | 'own' | Ability;
  roles: Role[];
  answer: number;
}

const PREFIX_OF: Record<string, string> = { v1: V1_PREFIX, old: UNVERSIONED_PREFIX };
const EVERY: Role[] = ['owner', 'admin', 'editor', 'analyst', 'viewer'];

export const POLICIES = read(BUILT);
export const NOT_BUILT_POLICIES = read(NOT_BUILT);
export const DEPLOYMENTS: Deployment[] = ['links', 'qr'];
export const PREFIXES = Object.values(PREFIX_OF);

export const isServed = (policy: Policy, deployment: Deployment, prefix: string): boolean =>
  policy.deployments.includes(deployment) && policy.prefixes.includes(prefix);

/**
 * Returns the policies of this deployment and prefix that match a path (with real segments): a fixed segment, as in
 * `/links/import`, takes precedence over an id.
 */
export function policiesAt(deployment: Deployment, prefix: string, path: string): Policy[] {
  const possible = POLICIES.filter(
    (policy) => isServed(policy, deployment, prefix) && patternOf(policy.path).test(path),
  );
  const fewest = Math.min(...possible.map(parametersIn));
  return possible.filter((policy) => parametersIn(policy) === fewest);
}

const parametersIn = ({ path }: Policy): number => path.split('{').length;

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}

function read(table: string): Policy[] {
  const [, ...lines] = table.trim().split('\n');
  return lines.map((line) => {
    const columns = line.trim().split(/ +/);
    if (columns.length !== 8) throw new Error(`not a line of the table: ${line}`);
    const [method, path, service, deployments, prefixes, access, roles, answer] = columns as [string, ...string[]];
    return {
      method,
      path: path!.replace('…', '/workspaces/{workspace}'),
      service: service as Policy['service'],
      deployments: deployments!.split(',') as Deployment[],
      prefixes: prefixes!.split(',').map((prefix) => PREFIX_OF[prefix]!),
      access: access as Policy['access'],
      roles: rolesOf(roles!),
      answer: Number(answer),
    };
  });
}

function rolesOf(column: string): Role[] {
  if (column === '-') return [];
  return column === 'every' ? EVERY : (column.split(',') as Role[]);
}
