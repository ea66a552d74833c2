import { findAuditHead } from '@waymark/contract/requests';
import type { Requester } from '@waymark/kernel/broker/requests';
import type { KeptHead } from './kept-head.js';

const TIMEOUT_MS = 3000;

/** Asks auth for the head that it keeps. @throws BrokerUnavailable when it does not answer */
export async function askForKeptHead(requester: Pick<Requester, 'ask'>, workspace: string): Promise<KeptHead> {
  const { head, created_at: createdAt } = await requester.ask(findAuditHead, { workspace }, TIMEOUT_MS);
  return { head, createdAt: createdAt === null ? null : new Date(createdAt) };
}
