/**
 * The work, or an error where it takes longer. What has come in until then counts, also where this process was too busy to
 * look at it: a late process must not blame those it waits for.
 */
export function within<T>(timeoutMs: number, work: Promise<T>, expired: () => Error): Promise<T> {
  let timer: NodeJS.Timeout;
  const deadline = new Promise<never>((_, reject) => {
    // An immediate comes after what the sockets hold has been read; a timer alone comes before.
    timer = setTimeout(() => setImmediate(() => reject(expired())), timeoutMs);
  });
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}
