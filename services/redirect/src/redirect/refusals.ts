import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RenderRefusal } from '@waymark/kernel/http/unreadable';
import { requestIdOf } from '@waymark/kernel/process/request-context';
import type { VisitOutcome } from './visit-times.js';

export type Refusal =
  | 'bad_request'
  | 'not_found'
  | 'scheduled'
  | 'gone'
  | 'expired'
  | 'erased'
  | 'blocked'
  | 'method_not_allowed'
  | 'rate_limit_exceeded'
  | 'service_unavailable';

interface AnswerText {
  title: string;
  message: string;
  headers?: string[];
}

interface Answer {
  status: number;
  json: Buffer;
  html: Buffer;
  headers: string[];
}

export const PAGE_HEADERS = {
  'Cache-Control': 'private, no-store',
  'X-Robots-Tag': 'noindex',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};
const HTML = 'text/html; charset=utf-8';

/** The answers to visitors who are not redirected: a small page for people, the error envelope for programs. */
const ANSWERS: Record<Refusal, Answer> = {
  bad_request: answer(400, 'bad_request', { title: 'Not understood', message: 'A request must name one host.' }),
  not_found: answer(404, 'not_found', { title: 'Not found', message: 'There is no link at this address.' }),
  scheduled: answer(404, 'not_found', { title: 'Not available yet', message: 'This link is not available yet.' }),
  expired: answer(410, 'gone', { title: 'No longer here', message: 'This link has expired.' }),
  gone: answer(410, 'gone', { title: 'No longer here', message: 'This link has been archived.' }),
  erased: answer(410, 'gone', { title: 'No longer here', message: 'This link no longer exists.' }),
  blocked: answer(451, 'blocked', { title: 'Not available', message: 'This link has been blocked.' }),
  method_not_allowed: answer(405, 'method_not_allowed', {
    title: 'Not allowed',
    message: 'A link answers GET and HEAD only.',
    // The server need not read the rest of the request.
    headers: ['Allow', 'GET, HEAD', 'Connection', 'close'],
  }),
  rate_limit_exceeded: answer(429, 'rate_limit_exceeded', {
    title: 'Too many requests',
    message: 'Too many requests for links that do not exist. Try again in a minute.',
    headers: ['Retry-After', '60'],
  }),
  service_unavailable: answer(503, 'service_unavailable', {
    title: 'Try again',
    message: 'This link cannot be looked up right now.',
    headers: ['Retry-After', '1'],
  }),
};

/** A visitor causes the others by a wrong request or too many of them. */
const OUTCOMES: Partial<Record<Refusal, VisitOutcome>> = {
  not_found: 'not_found',
  scheduled: 'not_found',
  expired: 'gone',
  gone: 'gone',
  erased: 'gone',
  blocked: 'gone',
  service_unavailable: 'unavailable',
};

export const outcomeOf = (refusal: Refusal): VisitOutcome => OUTCOMES[refusal] ?? 'refused';

/** A year. Not for its subdomains, which are not ours. */
export const HSTS = ['Strict-Transport-Security', 'max-age=31536000'];

export const statusOf = (refusal: Refusal): number => ANSWERS[refusal].status;

/** @param isHttps whether the host of the request is served by https alone */
export function sendRefusal(
  refusal: Refusal,
  { request, response, isHttps }: { request: IncomingMessage; response: ServerResponse; isHttps: boolean },
): void {
  const { status, json, html, headers } = ANSWERS[refusal];
  const wantsJson = request.headers.accept?.includes('application/json') ?? false;
  const body = wantsJson ? json : html;
  response.writeHead(status, [
    ...headers,
    ...(isHttps ? HSTS : []),
    'X-Request-Id',
    requestIdOf(request.headers['x-request-id'] as string | undefined),
    'Content-Type',
    wantsJson ? 'application/json; charset=utf-8' : HTML,
    'Content-Length',
    String(body.length),
  ]);
  response.end(body);
}

/** Renders a page in every case: the request's Accept header could not be read. */
export const renderUnreadable: RenderRefusal = ({ status, message }) => {
  const advice = status === 431 ? ' Delete the cookies of this site and try again.' : '';
  return { headers: { ...PAGE_HEADERS, 'Content-Type': HTML }, body: page('Not understood', message + advice) };
};

function answer(status: number, code: string, { title, message, headers = [] }: AnswerText): Answer {
  return {
    status,
    json: Buffer.from(JSON.stringify({ error: { code, message } })),
    html: Buffer.from(page(title, message)),
    headers: [...headers, 'Vary', 'Accept', ...Object.entries(PAGE_HEADERS).flat()],
  };
}

function page(title: string, message: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}</style>
<h1>${title}</h1>
<p>${message}</p>
</html>
`;
}
