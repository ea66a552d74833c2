import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What Node's parser refuses never becomes a request: it is answered here, in the shape of every other error. */
const REFUSALS: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request was not completed in time.'],
};
const MALFORMED: [string, string] = ['400 Bad Request', 'The request is not valid HTTP.'];

export function refuseUnreadable(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    socket.end(refusal(...(REFUSALS[error.code ?? ''] ?? MALFORMED)));
  });
  server.on('checkExpectation', (_request, response) => {
    response.socket?.end(refusal('417 Expectation Failed', 'Only the expectation 100-continue is met.'));
  });
}

function refusal(status: string, message: string): string {
  const body = JSON.stringify({ message, error: { code: 'bad_request', message } });
  const headers = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}
