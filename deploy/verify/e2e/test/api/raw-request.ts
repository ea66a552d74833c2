import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends requests that `fetch` refuses: a GET with a body, and a `content-length` without the body. */
export function rawRequest(
  url: string,
  { method, headers, body = '' }: { method: string; headers: Record<string, string>; body?: string },
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const asked = request(url, { method, headers: { ...length, ...headers }, agent: false }, (response) => {
      const received = new Headers(response.headers as Record<string, string>);
      text(response)
        .then((read) => resolve({ status: response.statusCode!, headers: received, text: read }), reject)
        .finally(() => asked.destroy());
    });
    asked.on('error', reject).setTimeout(30_000, () => asked.destroy(new Error(`${method} ${url}: no answer`)));
    asked.write(body);
    asked.flushHeaders();
  });
}
