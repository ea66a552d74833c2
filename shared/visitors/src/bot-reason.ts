export type BotReason = 'empty_user_agent' | 'prefetch' | 'user_agent';

interface Visit {
  userAgent: string;
  /** The browser says that it fetches before the visitor opens the link. */
  isPrefetch: boolean;
  /** By the user agent alone: see `isBot`. */
  isBot: boolean;
}

/** Returns why a scan counts as a bot's, or `null`. Uses only the headers that the client itself sends. */
export function botReason({ userAgent, isPrefetch, isBot }: Visit): BotReason | null {
  if (userAgent.trim() === '') return 'empty_user_agent';
  if (isBot) return 'user_agent';
  return isPrefetch ? 'prefetch' : null;
}
