import type { Language } from './language.js';

export interface Page {
  language: Language;
  title: string;
  /** HTML. */
  body: string;
  /** The name of the installation. */
  pageName: string;
  /** CSS beside that of every page. */
  style?: string;
}

/** A year. Not for its subdomains, which are not ours. */
export const HSTS = ['Strict-Transport-Security', 'max-age=31536000'];

export const HTML = 'text/html; charset=utf-8';
export const PAGE_HEADERS = {
  'Cache-Control': 'private, no-store',
  'X-Robots-Tag': 'noindex',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}footer{margin-top:3rem;opacity:.7}';

export function renderPage({ language, title, body, pageName, style = '' }: Page): string {
  const name = escapeHtml(pageName);
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · ${name}</title>
<style>${STYLE}${style}</style>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
<footer>${name}</footer>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
