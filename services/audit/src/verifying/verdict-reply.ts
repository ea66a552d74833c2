import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { AppError } from '@waymark/kernel/errors';
import type { Reply } from '@waymark/kernel/http/reply';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { VerifyContext } from './find-orphan.js';
import type { KeptHead } from './kept-head.js';
import { verifyChain } from './verify-chain.js';

const LEASE_MS = 30_000;
/** Well below the idle timeouts of the proxies and clients in between. */
const SILENCE_MAX_MS = 5000;

export interface VerdictContext extends VerifyContext {
  /** Returns what auth knows of the log. */
  findKeptHead: (workspace: string) => Promise<KeptHead>;
}

/**
 * Streams JSON with leading white space as a keep-alive: verifying a long chain outlasts the idle timeouts of proxies.
 */
export function verdictReply(ctx: VerdictContext, workspace: string, silenceMaxMs = SILENCE_MAX_MS): Reply {
  const lease = new Lease(ctx.db, `verify ${workspace}`);
  return {
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    streamLimit: 'verifications',
    content: verdictText(verify(ctx, workspace), lease, silenceMaxMs),
  };
}

async function* verify(ctx: VerdictContext, workspace: string): AsyncGenerator<number, AuditVerdict> {
  return yield* verifyChain(ctx, workspace, await ctx.findKeptHead(workspace));
}

/** @throws AppError `conflict` while another request verifies the same chain, because a verification is expensive */
async function* verdictText(
  verification: AsyncGenerator<number, AuditVerdict>,
  lease: Lease,
  silenceMaxMs: number,
): AsyncGenerator<string> {
  if (!(await lease.acquire(LEASE_MS))) throw alreadyRunning();
  try {
    let lastSentAt = Date.now();
    let step = await verification.next();
    for (; !step.done; step = await verification.next()) {
      if (Date.now() - lastSentAt < silenceMaxMs) continue;
      await lease.acquire(LEASE_MS);
      yield ' ';
      lastSentAt = Date.now();
    }
    yield JSON.stringify({ data: step.value });
  } finally {
    await lease.release();
  }
}

const alreadyRunning = () =>
  new AppError('conflict', 'This audit log is being verified already. Try again later.', {
    headers: { 'Retry-After': '10' },
  });
