/**
 * Returns the result of the work, or fails once the time is up. A result that has arrived by then counts, even if this
 * process was too busy to read it: a slow process must not blame the servers it waits for.
 */
export function withTimeout<T>(timeoutMs: number, work: Promise<T>, expired: () => Error): Promise<T> {
  let timer: NodeJS.Timeout;
  const deadline = new Promise<never>((_, reject) => {
    // An immediate comes after what the sockets hold has been read; a timer alone comes before.
    timer = setTimeout(() => setImmediate(() => reject(expired())), timeoutMs);
  });
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}
