import assert from 'node:assert/strict';

export interface Answer {
  status: number;
  headers: Headers;
  // The scenario asserts what it reads.

  body: any;
}

/** Calls the API as one caller: with a bearer token, or with a browser's cookie and CSRF token. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly headers: Record<string, string>,
  ) {}

  static bearer(baseUrl: string, token: string): ApiClient {
    return new ApiClient(baseUrl, { authorization: `Bearer ${token}` });
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        accept: 'application/json',
        ...this.headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  }

  /** Fails unless the answer has this status. */
  async expect(status: number, method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.call(method, path, body);
    assert.equal(answer.status, status, `${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer;
  }

  get(path: string): Promise<Answer> {
    return this.expect(200, 'GET', path);
  }
}
