/** Milliseconds that a `Retry-After` header asks for (RFC 9110: seconds or a date), or null when it says nothing sane. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,15}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
