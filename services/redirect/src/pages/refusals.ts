import type { Language } from './language.js';

interface Text {
  title: string;
  message: string;
}

interface RefusalDefinition extends Record<Language, Text> {
  status: number;
  /** For programs. */
  code: string;
  /** How visits are measured; `refused` by a wrong request, or too many of them. */
  outcome: 'not_found' | 'gone' | 'refused' | 'unavailable';
  headers?: Readonly<Record<string, string>>;
}

/** The answers to visitors who are not redirected. Programs get the English message. */
export const REFUSALS = {
  bad_request: {
    status: 400,
    code: 'bad_request',
    outcome: 'refused',
    en: { title: 'Not understood', message: 'A request must name one host.' },
    de: { title: 'Nicht verstanden', message: 'Eine Anfrage muss genau einen Host nennen.' },
  },
  not_found: {
    status: 404,
    code: 'not_found',
    outcome: 'not_found',
    en: { title: 'Not found', message: 'There is no link at this address.' },
    de: { title: 'Nicht gefunden', message: 'Unter dieser Adresse gibt es keinen Link.' },
  },
  scheduled: {
    status: 404,
    code: 'not_found',
    outcome: 'not_found',
    en: { title: 'Not available yet', message: 'This link is not available yet.' },
    de: { title: 'Noch nicht verfügbar', message: 'Dieser Link ist noch nicht verfügbar.' },
  },
  expired: {
    status: 410,
    code: 'gone',
    outcome: 'gone',
    en: { title: 'No longer here', message: 'This link has expired.' },
    de: { title: 'Nicht mehr da', message: 'Dieser Link ist abgelaufen.' },
  },
  gone: {
    status: 410,
    code: 'gone',
    outcome: 'gone',
    en: { title: 'No longer here', message: 'This link has been archived.' },
    de: { title: 'Nicht mehr da', message: 'Dieser Link wurde archiviert.' },
  },
  erased: {
    status: 410,
    code: 'gone',
    outcome: 'gone',
    en: { title: 'No longer here', message: 'This link no longer exists.' },
    de: { title: 'Nicht mehr da', message: 'Diesen Link gibt es nicht mehr.' },
  },
  blocked: {
    status: 451,
    code: 'blocked',
    outcome: 'gone',
    en: { title: 'Not available', message: 'This link has been blocked.' },
    de: { title: 'Nicht verfügbar', message: 'Dieser Link wurde gesperrt.' },
  },
  method_not_allowed: {
    status: 405,
    code: 'method_not_allowed',
    outcome: 'refused',
    // The server need not read the rest of the request.
    headers: { Allow: 'GET, HEAD', Connection: 'close' },
    en: { title: 'Not allowed', message: 'A link answers GET and HEAD only.' },
    de: { title: 'Nicht erlaubt', message: 'Ein Link beantwortet nur GET und HEAD.' },
  },
  rate_limit_exceeded: {
    status: 429,
    code: 'rate_limit_exceeded',
    outcome: 'refused',
    headers: { 'Retry-After': '60' },
    en: {
      title: 'Too many requests',
      message: 'Too many requests for links that do not exist. Try again in a minute.',
    },
    de: {
      title: 'Zu viele Anfragen',
      message: 'Zu viele Anfragen nach Links, die es nicht gibt. Versuchen Sie es in einer Minute noch einmal.',
    },
  },
  service_unavailable: {
    status: 503,
    code: 'service_unavailable',
    outcome: 'unavailable',
    headers: { 'Retry-After': '1' },
    en: { title: 'Try again', message: 'This link cannot be looked up right now.' },
    de: { title: 'Bitte noch einmal versuchen', message: 'Dieser Link lässt sich gerade nicht nachschlagen.' },
  },
} as const satisfies Record<string, RefusalDefinition>;

export type Refusal = keyof typeof REFUSALS;
export const refusalOf = (refusal: Refusal): RefusalDefinition => REFUSALS[refusal];
