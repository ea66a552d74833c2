/** The proxy may not or cannot connect. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';

  constructor(readonly statusCode: number) {
    super(`the proxy answered ${statusCode}`);
  }
}

/** The proxy was not reached, or broke off. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly code = 'EPROXY';
}

export class ProxyTimeout extends Error {
  override readonly name = 'ProxyTimeout';
  readonly code = 'ETIMEDOUT';
}
