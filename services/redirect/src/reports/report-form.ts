import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, STATUS_OF } from '@waymark/kernel/errors';
import { collectBody, hasBody } from '@waymark/kernel/http/read-body';
import { NetworkBuckets } from '@waymark/kernel/limits/network-buckets';
import type { Log } from '@waymark/kernel/process/log';
import { requestIdOf } from '@waymark/kernel/process/request-context';
import { languageOf } from '../pages/language.js';
import { HSTS, HTML, PAGE_HEADERS } from '../pages/page.js';
import type { VisitorAddress } from '../redirect/visitor-address.js';
import { parseReport, type Report } from './report.js';
import { isReportRefusal, refusalText, REPORT_PATH, ReportPages, type ReportRefusal } from './report-pages.js';
import type { ReportRecorder } from './report-recorder.js';

const BODY_BYTES_MAX = 8 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const REPORTS_PER_MINUTE = 5;

const HEADERS = [
  'Vary',
  'Accept, Accept-Language',
  ...Object.entries({
    ...PAGE_HEADERS,
    'Content-Security-Policy':
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  }).flat(),
];

const REFUSAL_HEADERS: Partial<Record<ReportRefusal, string[]>> = {
  method_not_allowed: ['Allow', 'GET, HEAD, POST'],
  rate_limit_exceeded: ['Retry-After', '60'],
};

export interface FormContext {
  addresses: VisitorAddress;
  recorder: Pick<ReportRecorder, 'record' | 'count'>;
  /** The name of the installation. */
  pageName: string;
  log: Log;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Whether the host of the request is served by https alone. */
  isHttps: boolean;
}

interface Page {
  status: number;
  body: Buffer;
  type?: string;
  headers?: string[];
}

/**
 * The form by which visitors report a link to the operator. Every report gets the same answer, and the link is looked up
 * only after it has been sent: neither the answer nor its time says which codes exist. The form needs no CSRF token: there
 * is no session and no cookie, so a request that another site has forged does nothing that its sender cannot do alone.
 */
export class ReportForm {
  private readonly buckets = new NetworkBuckets(REPORTS_PER_MINUTE);
  private readonly pages;

  constructor(private readonly ctx: FormContext) {
    this.pages = new ReportPages(ctx.pageName);
  }

  /** @param path with the query */
  isAt(path: string): boolean {
    return path.startsWith(REPORT_PATH) && (path.length === REPORT_PATH.length || path[REPORT_PATH.length] === '?');
  }

  /** @param path with the query */
  handle(path: string, exchange: Exchange): void {
    const { method } = exchange.request;
    if (method === 'POST') void this.takeReport(exchange);
    else if (method === 'GET' || method === 'HEAD') this.showForm(path, exchange);
    else this.refuse('method_not_allowed', exchange);
  }

  private async takeReport(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const { addresses, recorder } = this.ctx;
    const visitor = addresses.visitorOf(request.socket, request.headers['x-forwarded-for'] as string | undefined);
    // A visitor whose address is unknown has no limit, as with codes that do not exist.
    if (visitor !== null && !this.buckets.add(visitor)) {
      recorder.count('limited');
      return this.refuse('rate_limit_exceeded', exchange);
    }
    try {
      const report = await readReport(request);
      response.once('close', () => void recorder.record(report));
      sendPage({ status: 200, body: this.pages.thanks(languageFor(request)) }, exchange);
    } catch (error) {
      this.answerError(error, exchange);
    }
  }

  private answerError(error: unknown, exchange: Exchange): void {
    if (error instanceof AppError && isReportRefusal(error.code)) return this.refuse(error.code, exchange);
    // Otherwise the visitor has closed the connection.
    if (!(error instanceof AppError)) this.ctx.log.error({ err: error }, 'report not read');
    exchange.response.destroy();
  }

  private showForm(path: string, exchange: Exchange): void {
    const url = new URLSearchParams(path.slice(REPORT_PATH.length)).get('url') ?? '';
    sendPage({ status: 200, body: this.pages.form(languageFor(exchange.request), url) }, exchange);
  }

  private refuse(refusal: ReportRefusal, exchange: Exchange): void {
    const { request, response } = exchange;
    const wantsJson = request.headers.accept?.includes('application/json') ?? false;
    // The rest of the body is not read.
    response.shouldKeepAlive = false;
    const page = { status: STATUS_OF[refusal], headers: REFUSAL_HEADERS[refusal] };
    if (!wantsJson) return sendPage({ ...page, body: this.pages.refusal(languageFor(request), refusal) }, exchange);
    const body = JSON.stringify({ error: { code: refusal, message: refusalText(refusal) } });
    sendPage({ ...page, body: Buffer.from(body), type: 'application/json; charset=utf-8' }, exchange);
  }
}

/** @throws AppError of `collectBody`; `unsupported_media_type` */
async function readReport(request: IncomingMessage): Promise<Report | undefined> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const isForm = type.split(';')[0]!.trim().toLowerCase() === FORM_TYPE && encoding === 'identity';
  if (hasBody(request) && !isForm) throw new AppError('unsupported_media_type', 'The body is not that of the form.');
  return parseReport((await collectBody(request, BODY_BYTES_MAX)).toString('utf8'));
}

const languageFor = ({ headers }: IncomingMessage) => languageOf(headers['accept-language']);

function sendPage({ status, body, type = HTML, headers = [] }: Page, { request, response, isHttps }: Exchange): void {
  response.writeHead(status, [
    ...headers,
    ...HEADERS,
    ...(isHttps ? HSTS : []),
    'X-Request-Id',
    requestIdOf(request.headers['x-request-id'] as string | undefined),
    'Content-Type',
    type,
    'Content-Length',
    String(body.length),
  ]);
  response.end(body);
}
