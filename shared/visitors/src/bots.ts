import { LRUCache } from 'lru-cache';
import { botReason, type BotReason } from './bot-reason.js';
import { isBot } from './is-bot.js';

const CACHED_MAX = 5000;

/** Tells bots from people as the counted scans do; caches the most recent user agents. */
export class Bots {
  private readonly cache = new LRUCache<string, boolean>({ max: CACHED_MAX });

  /** Returns why a visit is a bot's, or `null`. */
  reasonFor(visit: { userAgent: string; isPrefetch: boolean }): BotReason | null {
    return botReason({ ...visit, isBot: this.isBot(visit.userAgent) });
  }

  private isBot(userAgent: string): boolean {
    let known = this.cache.get(userAgent);
    if (known === undefined) this.cache.set(userAgent, (known = isBot(userAgent)));
    return known;
  }
}
