import type { RouteDefinition } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { ApiRequest, Handler, Handlers } from '@waymark/kernel/http/api';

/**
 * Lets the changes of one workspace, or of one user outside of workspaces, run one at a time. They lock the same document:
 * together they would only conflict, and hold all places for transactions of this process meanwhile.
 */
export function takeTurns(handlers: Handlers<'auth'>): Handlers<'auth'> {
  const changes = new KeyedLimit({ total: 200, perKey: 1 });
  const inTurn =
    (handler: Handler): Handler =>
    (request, response) =>
      changes.run(keyOf(request), () => handler(request, response), request.signal);
  const all = Object.entries(handlers) as [keyof Handlers<'auth'>, Handler][];
  return Object.fromEntries(
    all.map(([name, handler]) => [name, isOwnChange(ROUTES[name]) ? inTurn(handler) : handler]),
  ) as unknown as Handlers<'auth'>;
}

/** Public routes, such as the sign-in, have limits by address and account. */
const isOwnChange = ({ method, access }: RouteDefinition): boolean => method !== 'GET' && access.kind !== 'public';

const keyOf = ({ identity }: ApiRequest): string => identity.workspace?.slug ?? `user ${identity.actor.id}`;
