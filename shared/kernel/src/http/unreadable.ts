import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isVersioned } from '@waymark/contract/route';
import type { ErrorCode } from '../errors.js';

type RefusalText = [status: string, code: ErrorCode, message: string];

interface Refusal {
  status: number;
  code: ErrorCode;
  message: string;
  /** Empty if the refused bytes do not begin with a request line. */
  target: string;
}
/** Returns the body of the answer, and the headers that describe it. */
export type RenderRefusal = (refusal: Refusal) => { headers: Record<string, string>; body: string };

const TOO_LARGE: RefusalText = ['431 Request Header Fields Too Large', 'bad_request', 'The headers are too large.'];
/** Node's parser emits no request for bytes it refuses: they are answered here, in the shape of every other error. */
const REFUSALS: Record<string, RefusalText> = {
  HPE_HEADER_OVERFLOW: TOO_LARGE,
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request_timeout', 'The request was not completed in time.'],
  MISSING_HOST: ['400 Bad Request', 'bad_request', 'The Host header is missing.'],
  UNMET_EXPECTATION: ['417 Expectation Failed', 'bad_request', 'The Expect header must be 100-continue.'],
};
const MALFORMED: RefusalText = ['400 Bad Request', 'bad_request', 'The request is not valid HTTP.'];

export function refuseUnreadable(server: Server, render: RenderRefusal = renderJson): void {
  /** The latest answer on each connection, complete or in progress. */
  const latest = new WeakMap<object, ServerResponse>();
  server.on('request', (request, response) => latest.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET' || isBeingAnswered(latest.get(socket))) {
      return void socket.destroy();
    }
    const [status, code, message] = REFUSALS[error.code ?? ''] ?? MALFORMED;
    const refusal = { status: Number.parseInt(status), code, message, target: targetIn(error.rawPacket) };
    hangUp(socket, answerText(status, render(refusal)));
  });
  server.on('checkExpectation', (request: IncomingMessage) => {
    server.emit('clientError', clientError('UNMET_EXPECTATION', request), request.socket);
  });
}

/** The error with which Node's parser reports headers of too many bytes. */
export const tooManyHeaders = (request: IncomingMessage): Error => clientError('HPE_HEADER_OVERFLOW', request);

export const missingHost = (request: IncomingMessage): Error => clientError('MISSING_HOST', request);

const clientError = (code: string, { method, url }: IncomingMessage): Error =>
  Object.assign(new Error(code), { code, rawPacket: Buffer.from(`${method} ${url} `, 'latin1') });

const HANG_UP_MS = 2000;

/** Ends the connection: a client that neither reads nor closes must not keep its half of it open. */
function hangUp(socket: Socket, answer: string): void {
  socket.end(answer);
  const timer = setTimeout(() => socket.destroy(), HANG_UP_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** A client would take a second answer for a part of this one, or for the answer to its next request. */
function isBeingAnswered(answer: ServerResponse | undefined): boolean {
  return answer !== undefined && answer.headersSent && !(answer.writableFinished && answer.req.complete);
}

/** Returns the request target if the refused bytes begin with a request line. */
const targetIn = (packet?: Buffer): string =>
  /^[A-Z]+ (\S{1,256})/.exec(packet?.toString('latin1', 0, 300) ?? '')?.[1] ?? '';

/** Without a target the path may be an unversioned one: its clients read `message`. */
const renderJson: RenderRefusal = ({ code, message, target }) => {
  const error = { code, message };
  return {
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(isVersioned(target) ? { error } : { message, error }),
  };
};

function answerText(status: string, { headers, body }: ReturnType<RenderRefusal>): string {
  const lines = [
    `HTTP/1.1 ${status}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
