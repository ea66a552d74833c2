import { auditAppended } from '@waymark/contract/events';
import { findAuditHead } from '@waymark/contract/requests';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import { serveRequests } from '@waymark/kernel/broker/requests';
import type { WorkspaceStore } from './workspace-store.js';

const BATCH_MAX = 50;

/** Keeps the ends of the audit logs where nobody with rights on the database of audit can change them, and shows them to audit. */
export function followAuditHeads(
  runtime: ConsumerContext,
  workspaces: Pick<WorkspaceStore, 'findWorkspace' | 'keepAuditHead'>,
): void {
  startConsumer(runtime, {
    queue: 'auth.audit_heads',
    events: [auditAppended],
    batchMax: BATCH_MAX,
    handle: async (events) => {
      for (const { workspace, data } of events) await workspaces.keepAuditHead(workspace!, data);
    },
  });
  serveRequests(runtime.broker, findAuditHead, async ({ workspace: slug }) => {
    const workspace = await workspaces.findWorkspace(slug);
    const { seq, hash } = workspace?.auditHead ?? {};
    const head = seq === undefined || hash === undefined ? null : { seq, hash };
    return { head, created_at: workspace?.createdAt.toISOString() ?? null };
  });
}
