import { oneOf } from '@waymark/contract/problems';
import { AppError } from '../errors.js';
import type { Identity } from '@waymark/contract/identity';
import { requiredPlan, type RouteDefinition } from '@waymark/contract/route';
import type { Ability } from '@waymark/contract/roles';

const forbidden = (message: string, details?: Record<string, unknown>) =>
  new AppError('forbidden', message, { details });

/** The same for an existing workspace and an unknown one, so that an outsider cannot find out which slugs exist. */
const noAccess = ({ actor }: Identity): string =>
  actor.type === 'token' ? 'This token belongs to another workspace.' : 'You have no access to this workspace.';

function checkSession({ session_id: sessionId }: Identity): void {
  if (sessionId === null) throw forbidden('This operation is only for signed-in browsers.');
}

/** A write ability satisfies a read. */
export function satisfies(abilities: readonly Ability[], needed: Ability): boolean {
  return abilities.includes(needed) || (needed === 'read' && abilities.includes('write'));
}

/**
 * Checks that this identity may use this route on this workspace. The gateway checks before it proxies; the service
 * checks again, so that a mistake in one of them grants no access.
 * @throws AppError `forbidden`
 */
export function checkAccess(route: RouteDefinition, identity: Identity, slug: string | undefined): void {
  const { access } = route;
  if (access.kind === 'session') checkSession(identity);
  if (access.kind !== 'workspace') return;
  const { workspace } = identity;
  if (!workspace || workspace.slug !== slug) throw forbidden(noAccess(identity));
  if (!satisfies(workspace.abilities, access.ability)) {
    throw forbidden(`This requires the ${access.ability} ability for this workspace.`);
  }
  if (!access.roles.includes(workspace.role)) throw forbidden(`This requires the role ${oneOf(access.roles)}.`);
  if (access.sessionOnly) checkSession(identity);
  if (access.entitlement && !workspace.plan.entitlements.includes(access.entitlement)) {
    throw forbidden('The plan of this workspace does not include this.', {
      entitlement: access.entitlement,
      required_plan: requiredPlan(access.entitlement),
    });
  }
}
