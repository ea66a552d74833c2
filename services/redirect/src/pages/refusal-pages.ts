import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RenderRefusal } from '@waymark/kernel/http/unreadable';
import { requestIdOf } from '@waymark/kernel/process/request-context';
import { LANGUAGES, languageOf, type Language } from './language.js';
import { escapeHtml, HSTS, HTML, PAGE_HEADERS, renderPage } from './page.js';
import { REFUSALS, refusalOf, type Refusal } from './refusals.js';

interface Answer {
  status: number;
  json: Buffer;
  html: Record<Language, Buffer>;
  headers: string[];
}

interface RefusedVisit {
  request: IncomingMessage;
  response: ServerResponse;
  /** Whether the host of the request is served by https alone. */
  isHttps: boolean;
}

/**
 * Answers visitors who are not redirected: with a small page in their language, or the error envelope for programs. Every
 * answer is built once.
 */
export class RefusalPages {
  private readonly answers: Record<Refusal, Answer>;

  /** @param pageName the name of the installation */
  constructor(private readonly pageName: string) {
    const answers = Object.keys(REFUSALS).map((refusal) => [refusal, this.answerOf(refusal as Refusal)]);
    this.answers = Object.fromEntries(answers) as Record<Refusal, Answer>;
  }

  send(refusal: Refusal, { request, response, isHttps }: RefusedVisit): void {
    const { status, json, html, headers } = this.answers[refusal];
    const wantsJson = request.headers.accept?.includes('application/json') ?? false;
    const body = wantsJson ? json : html[languageOf(request.headers['accept-language'])];
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

  /** Renders an English page in every case: the headers of the request could not be read. */
  readonly renderUnreadable: RenderRefusal = ({ status, message }) => {
    const advice = status === 431 ? ' Delete the cookies of this site and try again.' : '';
    const body = this.page('en', { title: 'Not understood', message: message + advice });
    return { headers: { ...PAGE_HEADERS, 'Content-Type': HTML }, body };
  };

  private answerOf(refusal: Refusal): Answer {
    const { status, code, headers = {}, ...texts } = refusalOf(refusal);
    const { message } = texts.en;
    const pages = LANGUAGES.map((language) => [language, Buffer.from(this.page(language, texts[language]))]);
    return {
      status,
      json: Buffer.from(JSON.stringify({ error: { code, message } })),
      html: Object.fromEntries(pages) as Record<Language, Buffer>,
      headers: Object.entries({ ...headers, Vary: 'Accept, Accept-Language', ...PAGE_HEADERS }).flat(),
    };
  }

  private page(language: Language, { title, message }: { title: string; message: string }): string {
    return renderPage({ language, title, body: `<p>${escapeHtml(message)}</p>`, pageName: this.pageName });
  }
}
