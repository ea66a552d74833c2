import type { DeliveryErrorType } from '@waymark/contract/webhooks';
import { ProxyRefusal } from './proxy-connector.js';

export interface Failure {
  type: DeliveryErrorType;
  /** For the owner of the endpoint: contains no address, since a name may resolve to one of this installation. */
  message: string;
}

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
const NOT_HTTP = /^(HPE_|ERR_ASSERTION|unknown error$)/;
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|CRL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|HOSTNAME_MISMATCH|EPROTO|INVALID_CA)/;

/** By the codes of this folder's errors. */
const OWN_FAILURES = new Map<string, Failure>([
  ['EBLOCKED', { type: 'blocked', message: 'The address of the endpoint is not allowed.' }],
  ['ENOTPUBLIC', { type: 'dns', message: 'The name of the endpoint has no public address.' }],
  ['EPROXY', { type: 'connection', message: 'The proxy of this installation could not be reached.' }],
]);

export const timeoutFailure = (timeoutMs: number): Failure => ({
  type: 'timeout',
  message: `No answer within ${timeoutMs / 1000} s.`,
});

/** Describes an error that occurred before there was a response. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ProxyRefusal) return proxyRefusal(error.statusCode);
  const { code } = error as { code?: unknown };
  const name = typeof code === 'string' ? code : 'unknown error';
  const own = OWN_FAILURES.get(name);
  if (own) return own;
  if (TIMEOUTS.has(name)) return { type: 'timeout', message: 'The connection was not established in time.' };
  if (TLS_CODE.test(name)) return { type: 'tls', message: `The secure connection failed (${name}).` };
  if (NOT_HTTP.test(name)) return { type: 'connection', message: 'The answer was not HTTP.' };
  return { type: 'connection', message: `The connection failed (${name}).` };
}

/** Maps the status of a proxy that may not or cannot connect. */
function proxyRefusal(statusCode: number): Failure {
  const type = statusCode < 500 ? 'blocked' : 'connection';
  return { type, message: `The proxy of this installation refused the connection: it answered ${statusCode}.` };
}

const REDIRECTS = [301, 302, 303, 307, 308];

export function httpErrorOf(statusCode: number, snippet: string | null): Failure {
  const isRedirect = REDIRECTS.includes(statusCode);
  const why = isRedirect ? '; redirects are not followed' : '';
  const words = snippet === null ? '.' : `: ${snippet}`;
  return { type: 'http_error', message: `The endpoint answered ${statusCode}${why}${words}` };
}
