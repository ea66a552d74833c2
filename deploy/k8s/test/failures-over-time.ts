const INCREASE = /increase\(\w+\[(\d+)m\](?: offset (\d+)m)?\)\) > (\d+)/g;

/**
 * Returns whether an alert about the increase of one counter fires for work that has failed at this
 * interval for the last hour: for `a > n or (b > n and …)`.
 */
export function firesForFailures(expr: string, everyMinutes: number): boolean {
  const [first = '', ...rest] = expr.split(/\bor\b/);
  const failures = Array.from({ length: Math.floor(60 / everyMinutes) }, (_, index) => (index + 0.5) * everyMinutes);
  const holds = (clause: string): boolean =>
    [...clause.matchAll(INCREASE)].every(([, window, offset = '0', threshold]) => {
      const [from, to] = [Number(offset), Number(offset) + Number(window)];
      return failures.filter((ago) => ago >= from && ago < to).length > Number(threshold);
    });
  return [first, ...rest].some(holds);
}
