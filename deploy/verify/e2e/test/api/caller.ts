import type { Demo } from '@waymark/e2e/demo';

export interface Answer {
  status: number;
  requestId: string;
  headers: Headers;
  body: any;
  text: string;
}

export interface Ask {
  body?: unknown;
  headers?: Record<string, string>;
  /** The owner's token, the owner's browser, or no credential at all. */
  as?: 'program' | 'browser' | 'nobody';
}

/** The owner of the demo workspace, who records every secret in an answer. */
export class Caller {
  readonly secrets = new Set<string>();
  private browser: Record<string, string> = {};

  private constructor(readonly demo: Demo) {
    for (const { password, token } of Object.values(demo.users)) this.note(password, token);
  }

  static async start(demo: Demo): Promise<Caller> {
    const caller = new Caller(demo);
    caller.browser = await caller.signIn();
    return caller;
  }

  get owner() {
    return this.demo.users['owner']!;
  }

  /** The path of a request, from one below `/api/v1` in which `…` is the demo workspace. */
  pathOf(path: string): string {
    return `/api/v1${path.replace('…', `/workspaces/${this.demo.workspace}`)}`;
  }

  /** @param path as `pathOf` takes it */
  async call(method: string, path: string, { body, headers, as = 'program' }: Ask = {}): Promise<Answer> {
    if (as === 'browser' && (await this.isSignedOut())) this.browser = await this.signIn();
    const credential = { program: { authorization: `Bearer ${this.owner.token}` }, browser: this.browser, nobody: {} };
    const response = await fetch(this.demo.base_url + this.pathOf(path), {
      method,
      headers: { ...credential[as], ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    this.note((body as { password?: string } | undefined)?.password, cookieOf(response.headers)?.split('=')[1]);
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const parsed = isJson ? JSON.parse(text) : null;
    this.note(parsed?.data?.secret, ...(parsed?.data?.recovery_codes ?? []));
    this.note(
      parsed?.meta?.plaintext_token,
      parsed?.meta?.signing_secret,
      parsed?.meta?.csrf_token,
      parsed?.meta?.invite_url,
    );
    return {
      status: response.status,
      requestId: response.headers.get('x-request-id')!,
      headers: response.headers,
      body: parsed,
      text,
    };
  }

  /** Makes a call that must succeed; returns the data of the answer. */
  async made(method: string, path: string, body?: unknown, as?: Ask['as']): Promise<any> {
    const { status, body: answer } = await this.call(method, path, { body, as });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(answer)}`);
    return answer?.data;
  }

  /** A case that ends all other sessions of the owner ends this one, too. */
  private async isSignedOut(): Promise<boolean> {
    return (await fetch(`${this.demo.base_url}/api/v1/user`, { headers: this.browser })).status === 401;
  }

  /** @returns the headers of a browser that has signed in */
  async signIn({ email, password } = this.owner): Promise<Record<string, string>> {
    const { headers, body } = await this.call('POST', '/session', { body: { email, password }, as: 'nobody' });
    return { cookie: cookieOf(headers)!, 'x-csrf-token': body.meta.csrf_token as string };
  }

  private note(...secrets: (string | undefined)[]): void {
    for (const secret of secrets) if (secret) this.secrets.add(secret);
  }
}

const cookieOf = (headers: Headers): string | undefined => headers.get('set-cookie')?.split(';', 1)[0];
