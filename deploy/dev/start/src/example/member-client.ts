import { requestPatiently, type Answer } from '../patient-request.js';
import type { Progress } from '../progress.js';

export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';

  constructor(
    request: string,
    readonly answer: Answer,
  ) {
    super(`the API answered ${answer.status} to ${request}: ${answer.text}`);
  }
}

/** Sends requests in the name of several members by turns, because each of them has a limit of requests a minute. */
export class MemberClient {
  private requestCount = 0;

  constructor(
    private readonly workspaceUrl: string,
    private readonly tokens: readonly string[],
    private readonly progress: Progress,
  ) {}

  get memberCount(): number {
    return this.tokens.length;
  }

  /** @throws RequestRefused unless the API accepts the request */
  async send<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<T> {
    const token = this.tokens[this.requestCount % this.tokens.length]!;
    this.requestCount += 1;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await requestPatiently(this.workspaceUrl + path, init, this.progress);
    if (answer.status >= 400) throw new RequestRefused(`${method} ${path}`, answer);
    return JSON.parse(answer.text) as T;
  }
}
