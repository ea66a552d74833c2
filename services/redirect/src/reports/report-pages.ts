import type { Language } from '../pages/language.js';
import { escapeHtml, renderPage } from '../pages/page.js';
import { COMMENT_LENGTH_MAX, REASONS, URL_LENGTH_MAX, type Reason } from './report.js';

export const REPORT_PATH = '/-/report';

/** Why a report is refused, by the code of its error. */
export type ReportRefusal =
  'method_not_allowed' | 'request_timeout' | 'payload_too_large' | 'unsupported_media_type' | 'rate_limit_exceeded';

interface Message {
  title: string;
  text: string;
}

interface Texts {
  form: Message;
  url: string;
  reason: string;
  reasons: Record<Reason, string>;
  comment: string;
  send: string;
  thanks: Message;
  refusals: Record<ReportRefusal, Message>;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    form: {
      title: 'Report a link',
      text: 'Tell the operator of this service about a short link that leads to something harmful. Your address is not stored.',
    },
    url: 'Short link',
    reason: 'Reason',
    reasons: {
      phishing: 'Phishing: a page that pretends to be another one',
      malware: 'Malware: a page that offers harmful programs',
      spam: 'Spam: unwanted advertising',
      other: 'Something else',
    },
    comment: 'Comment (optional)',
    send: 'Report',
    thanks: { title: 'Thank you', text: 'The operator has received it.' },
    refusals: {
      method_not_allowed: { title: 'Not allowed', text: 'The form answers GET, HEAD and POST only.' },
      request_timeout: { title: 'Too slow', text: 'The report did not arrive in time. Send it again.' },
      payload_too_large: { title: 'Too long', text: 'The report is too long. Shorten the comment.' },
      unsupported_media_type: {
        title: 'Not understood',
        text: 'A report is sent as application/x-www-form-urlencoded.',
      },
      rate_limit_exceeded: {
        title: 'Too many reports',
        text: 'Too many reports from your address. Try again in a minute.',
      },
    },
  },
  de: {
    form: {
      title: 'Einen Link melden',
      text: 'Melden Sie dem Betreiber dieses Dienstes einen Kurzlink, der zu etwas Schädlichem führt. Ihre Adresse wird nicht gespeichert.',
    },
    url: 'Kurzlink',
    reason: 'Grund',
    reasons: {
      phishing: 'Phishing: eine Seite, die sich als eine andere ausgibt',
      malware: 'Schadsoftware: eine Seite, die schädliche Programme anbietet',
      spam: 'Spam: unerwünschte Werbung',
      other: 'Etwas anderes',
    },
    comment: 'Anmerkung (freiwillig)',
    send: 'Melden',
    thanks: { title: 'Vielen Dank', text: 'Der Betreiber hat die Meldung erhalten.' },
    refusals: {
      method_not_allowed: { title: 'Nicht erlaubt', text: 'Das Formular beantwortet nur GET, HEAD und POST.' },
      request_timeout: {
        title: 'Zu langsam',
        text: 'Die Meldung kam nicht rechtzeitig an. Senden Sie sie noch einmal.',
      },
      payload_too_large: { title: 'Zu lang', text: 'Die Meldung ist zu lang. Kürzen Sie die Anmerkung.' },
      unsupported_media_type: {
        title: 'Nicht verstanden',
        text: 'Eine Meldung wird als application/x-www-form-urlencoded gesendet.',
      },
      rate_limit_exceeded: {
        title: 'Zu viele Meldungen',
        text: 'Zu viele Meldungen von Ihrer Adresse. Versuchen Sie es in einer Minute noch einmal.',
      },
    },
  },
};

export const isReportRefusal = (code: string): code is ReportRefusal => code in TEXTS.en.refusals;

/** The text of a refusal for programs, which is English. */
export const refusalText = (refusal: ReportRefusal): string => TEXTS.en.refusals[refusal].text;

const FORM_STYLE =
  'label{display:block;margin-top:1rem}input,select,textarea,button{font:inherit;box-sizing:border-box;width:100%;padding:.5rem}button{margin-top:1.5rem}';

/** The pages around the form, in the language of the visitor. */
export class ReportPages {
  /** @param pageName the name of the installation */
  constructor(private readonly pageName: string) {}

  thanks = (language: Language): Buffer => this.page(language, TEXTS[language].thanks);

  refusal = (language: Language, refusal: ReportRefusal): Buffer =>
    this.page(language, TEXTS[language].refusals[refusal]);

  /** @param url the link that the visitor came from, as the query says: any text */
  form(language: Language, url: string): Buffer {
    const texts = TEXTS[language];
    const options = REASONS.map((reason) => `<option value="${reason}">${texts.reasons[reason]}</option>`);
    const form = `<form method="post" action="${REPORT_PATH}">
<label for="url">${texts.url}</label>
<input id="url" name="url" required maxlength="${URL_LENGTH_MAX}" inputmode="url" autocapitalize="none" spellcheck="false" value="${escapeHtml(url.slice(0, URL_LENGTH_MAX))}">
<label for="reason">${texts.reason}</label>
<select id="reason" name="reason">
${options.join('\n')}
</select>
<label for="comment">${texts.comment}</label>
<textarea id="comment" name="comment" rows="5" maxlength="${COMMENT_LENGTH_MAX}"></textarea>
<button>${texts.send}</button>
</form>`;
    return this.page(language, texts.form, form);
  }

  private page(language: Language, { title, text }: Message, content = ''): Buffer {
    const body = `<p>${text}</p>\n${content}`;
    return Buffer.from(renderPage({ language, title, body, pageName: this.pageName, style: FORM_STYLE }));
  }
}
