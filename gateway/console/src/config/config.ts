export type Role = 'owner' | 'admin' | 'editor' | 'analyst' | 'viewer';

interface Config {
  deployment: 'links' | 'qr';
  /** The roles that may use each route of a workspace; `true` for routes without a workspace. */
  routes: Record<string, readonly Role[] | true>;
  /** The events that a webhook may subscribe to. */
  event_types: readonly string[];
}

const content = document.querySelector<HTMLMetaElement>('meta[name=waymark]')!.content;

/** What the gateway says about this deployment. */
export const config = JSON.parse(content) as Config;
export const isQr = config.deployment === 'qr';

/** The route of the content that this deployment manages, e.g. `content('create')`. */
export const contentRoute = (action: string): string => `${isQr ? 'qr_codes' : 'links'}.${action}`;

/** Whether a member with this role may use the route; false for routes that this server does not have. */
export function mayUse(role: Role | undefined, route: string): boolean {
  const roles = config.routes[route];
  return roles === true || (role !== undefined && (roles?.includes(role) ?? false));
}
