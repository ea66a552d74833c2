import { request as httpRequest, type Agent, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends exactly these headers, and any method; fetch allows neither. */
export function send(agent: Agent, url: string, { method, headers, body }: Sent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      response.once('error', reject);
    });
    request.once('error', reject).end(body);
  });
}

/**
 * Sends these bytes and returns everything until the server closes: one of the requests must say `Connection: close`.
 */
export function sendRaw(baseUrl: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.once('close', () => resolve(answer)).once('error', reject);
  });
}

export async function inParallel<T, R>(items: T[], concurrency: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}
