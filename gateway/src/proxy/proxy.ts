import {
  Agent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Request, RequestHandler, Response } from 'express';
import type { ServiceName } from '@waymark/shared/contract/route';
import { unavailable } from '@waymark/shared/kernel/errors';
import { sendError } from '@waymark/shared/kernel/http/envelope';
import { KEEP_ALIVE_TIMEOUT_MS } from '@waymark/shared/kernel/http/serve-http';
import { IDENTITY_HEADER, signIdentity } from '@waymark/shared/kernel/identity';
import { currentContext } from '@waymark/shared/kernel/request-context';
import type { GatewayContext } from '../context.js';
import { identityOf } from './holders.js';
import { Places } from './places.js';
import { bodyOf } from './read-body.js';

const IDLE_SOCKETS_MAX = 256;
/** Well before a service ends an idle connection: a request must not be sent into one that is just being closed. */
const IDLE_TIMEOUT_MS = KEEP_ALIVE_TIMEOUT_MS / 2;
/** Of one connection (RFC 9110, 7.6.1), and what frames a body: Node frames each message anew. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** A request cannot do without it: naming it in `Connection` takes nothing away. */
const KEPT: ReadonlySet<string> = new Set(['', 'host', 'content-length']);

/** Sends a request, whose body has been read, on to its service, and streams the answer back. */
export function proxyTo(ctx: GatewayContext, service: ServiceName, target: string): RequestHandler {
  const send = senderTo(target, ctx.config.UPSTREAM_TIMEOUT_MS);
  const places = new Places(service, ctx.config);
  return (request, response) => {
    const release = places.take(response);
    response.once('close', release);
    const headers = headersFor(request, bodyOf(response));
    const url = originForm(request.originalUrl);
    const signed = { method: request.method, url };
    headers[IDENTITY_HEADER] = signIdentity(ctx.config.IDENTITY_PRIVATE_KEY, service, identityOf(response), signed);

    const upstream = send(request.method, url, headers);
    upstream.once('close', release);
    upstream.once('timeout', () => upstream.destroy(new Error(`${service} does not answer`)));
    upstream.once('error', (error) => {
      if (!response.destroyed) sendError(response, request.originalUrl, unavailable(error), ctx.log);
    });
    upstream.once('response', (answer) => sendAnswer(answer, response));
    response.once('close', () => upstream.destroy());
    upstream.end(bodyOf(response));
  };
}

type Send = (method: string, path: string, headers: OutgoingHttpHeaders) => ClientRequest;

/** No bound on sockets: `Places` bounds the requests. */
function senderTo(target: string, timeout: number): Send {
  const { protocol, hostname, port } = new URL(target);
  const options = { keepAlive: true, maxFreeSockets: IDLE_SOCKETS_MAX, timeout: IDLE_TIMEOUT_MS };
  const isTls = protocol === 'https:';
  const agent = isTls ? new TlsAgent(options) : new Agent(options);
  const start = isTls ? tlsRequest : httpRequest;
  const host = hostname.replace(/^\[|\]$/g, '');
  return (method, path, headers) => start({ agent, host, port, method, path, headers, timeout });
}

function sendAnswer(answer: IncomingMessage, response: Response): void {
  response.statusCode = answer.statusCode!;
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name)) response.setHeader(name, value);
  }
  // An answer that breaks off must not look complete, nor like one that is still to come.
  answer.once('close', () => answer.complete || response.destroy());
  answer.pipe(response);
}

/**
 * Nothing that a client sends may look like ours, and no service needs to see a credential. What it tells its own
 * connection, or names there, is not for the next one (RFC 9110, 7.6.1).
 */
function headersFor(request: Request, body: Buffer | undefined): OutgoingHttpHeaders {
  const named = (request.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(request.headers)) {
    const isOurs = /^x[-_]waymark[-_]/.test(name);
    if (!isOurs && !HOP_BY_HOP.has(name)) headers[name] = value;
  }
  for (const name of named) if (!KEPT.has(name)) delete headers[name];
  delete headers['authorization'];
  delete headers['cookie'];
  if (body) headers['content-length'] = String(body.length);
  const context = currentContext()!;
  headers['x-request-id'] = context.requestId;
  headers['traceparent'] = context.traceparent;
  return headers;
}

/** Without the host that a request line may name (RFC 9112, 3.2.2). */
const originForm = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?#]*/i, '') || '/';
