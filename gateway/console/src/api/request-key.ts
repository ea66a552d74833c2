/** A key for `Idempotency-Key`. Browsers offer `randomUUID` only on https and on this machine. */
export const createRequestKey = (): string => crypto.randomUUID?.() ?? randomKey();

const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('');
