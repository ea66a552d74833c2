import type { RawScan } from '@waymark/contract/events';
import type { UserAgent } from './user-agent.js';

export type BotReason = 'empty_user_agent' | 'prefetch' | 'user_agent';

/** Returns why a scan counts as a bot's, or `null`. Uses only the headers that the client itself sends. */
export function botReason(scan: Pick<RawScan, 'user_agent' | 'prefetch'>, userAgent: UserAgent): BotReason | null {
  if (scan.user_agent.trim() === '') return 'empty_user_agent';
  if (userAgent.isBot) return 'user_agent';
  return scan.prefetch ? 'prefetch' : null;
}
