import { setTimeout as sleep } from 'node:timers/promises';
import type { ErasureKind } from '@waymark/contract/erasures';
import { invalidOption } from '@waymark/kernel/errors';
import { deleteWorkspace } from '../erasure/delete-workspace.js';
import { checkIsReplaceable, eraseUser } from '../erasure/erase-user.js';
import type { ErasureOrder, OrderStore } from '../erasure/order-store.js';
import type { AdminContext } from './context.js';

const POLL_INTERVAL_MS = 1000;

interface Wait {
  /** Seconds to wait for the reports of the services. */
  seconds: number;
  /** Receives a line about the progress, when it changes. */
  onProgress: (line: string) => void;
}

/** Erases a workspace, or follows an erasure in progress. @returns the report of each service */
export async function eraseWorkspace(ctx: AdminContext, slug: string, wait: Wait): Promise<object> {
  const isOrdered = (await ctx.orders.findOrder('workspace', slug)) !== null;
  if (!isOrdered) {
    if (!(await ctx.workspaces.findWorkspace(slug))) throw invalidOption('slug', 'The workspace does not exist.');
    await deleteWorkspace(ctx, { slug, orderedBy: null });
  }
  return followOrder(ctx, { kind: 'workspace', subject: slug }, wait);
}

/** Erases a user, or follows an erasure in progress. @returns the report of each service */
export async function eraseUserAndWait(ctx: AdminContext, id: string, wait: Wait): Promise<object> {
  const user = await ctx.users.findUser(id);
  if (user) await eraseUser(ctx, user);
  return followOrder(ctx, { kind: 'user', subject: id }, wait);
}

/** Returns what erasing the workspace would end at once, or the report of an erasure that is ordered already. */
export async function previewWorkspaceErasure(ctx: AdminContext, slug: string): Promise<object> {
  const order = await ctx.orders.findOrder('workspace', slug);
  if (order) return { dry_run: true, ...reportOf(order, ctx.orders.services) };
  const workspace = await ctx.workspaces.findWorkspace(slug);
  if (!workspace) throw invalidOption('slug', 'The workspace does not exist.');
  const [members, tokens, invitations] = await Promise.all([
    ctx.workspaces.countMembers(slug),
    ctx.tokens.countTokens(slug),
    ctx.invitations.countInvitations({ workspace: slug }),
  ]);
  const { services } = ctx.orders;
  return { dry_run: true, workspace: slug, name: workspace.name, members, tokens, invitations, services };
}

/**
 * Returns what erasing the user would end at once, or the report of an erasure that is ordered already.
 * @throws AppError `conflict` while the user is the last owner of a workspace
 */
export async function previewUserErasure(ctx: AdminContext, id: string): Promise<object> {
  const user = await ctx.users.findUser(id);
  const order = user ? null : await ctx.orders.findOrder('user', id);
  if (order) return { dry_run: true, ...reportOf(order, ctx.orders.services) };
  if (!user) throw invalidOption('id', 'The user does not exist.');
  const memberships = await ctx.workspaces.findMembershipsOfUser(id);
  await checkIsReplaceable(ctx, memberships);
  const workspaces = memberships.map(({ workspace }) => workspace);
  const sessions = (await ctx.sessions.listSessions(id, await ctx.db.now())).length;
  const { total: tokens } = await ctx.tokens.listTokensOf({ workspaces, userId: id }, { page: 1, perPage: 1 });
  const { services } = ctx.orders;
  return { dry_run: true, user: id, email: user.email, workspaces, sessions, tokens, services };
}

/** Waits until every service has reported, for at most `seconds`. */
async function followOrder(
  ctx: AdminContext,
  { kind, subject }: { kind: ErasureKind; subject: string },
  { seconds, onProgress }: Wait,
): Promise<object> {
  const deadline = performance.now() + seconds * 1000;
  let last = '';
  for (;;) {
    const order = await ctx.orders.findOrder(kind, subject);
    if (!order) throw invalidOption('id', `The ${kind} does not exist.`);
    const report = reportOf(order, ctx.orders.services);
    if (report.is_complete || performance.now() >= deadline) return report;
    const progress = describeProgress(report);
    if (progress !== last) onProgress(progress);
    last = progress;
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Names the services that have not finished, with what they have removed so far. */
function describeProgress({ services }: ReturnType<typeof reportOf>): string {
  const waiting = Object.entries(services).filter(([, { is_complete }]) => !is_complete);
  const states = waiting.map(([service, { removed }]) => {
    const count = Object.values(removed).reduce((sum, rows) => sum + rows, 0);
    return count === 0 ? service : `${service} (${count.toLocaleString('en-US')} removed)`;
  });
  return `Waiting for ${states.join(', ')}.`;
}

function reportOf({ kind, subject, orderedAt, reports }: ErasureOrder, services: OrderStore['services']) {
  const stateOf = (service: (typeof services)[number]) => {
    const report = reports[service];
    return { is_complete: report?.isComplete ?? false, removed: report?.removed ?? {} };
  };
  return {
    [kind]: subject,
    ordered_at: orderedAt.toISOString(),
    is_complete: services.every((service) => reports[service]?.isComplete),
    services: Object.fromEntries(services.map((service) => [service, stateOf(service)])),
  };
}
