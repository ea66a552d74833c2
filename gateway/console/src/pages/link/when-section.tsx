import type { Link } from '../../api/links.js';
import { DateTimeField } from '../../components/date-time-field.js';
import { Field } from '../../components/field.js';
import { Section } from '../../components/section.js';
import { withScheme } from '../../format/addresses.js';
import { ownTimeZone } from '../../format/dates.js';
import { withoutScheme } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { visits } from '../../messages/visits.js';
import type { FormFields } from './form-fields.js';
import { TIMES, toCount, type Values } from './form-values.js';
import { describeOpening, type Opening } from './opening.js';

const words = visits.when;
const TEXTS = ['max_scans', 'expired_url'] as const;
const HINTS = { max_scans: words.maxScansHint, expired_url: words.expiredUrlHint };
const INPUT_MODES = { max_scans: 'numeric', expired_url: 'url' } as const;

/** When visitors are redirected, and what the others get. */
export function WhenSection({ link, fields }: { link: Link; fields: FormFields }) {
  const { values, isReadOnly, edit, noteOf, problemOf } = fields;
  const opening = openingOf(values);
  const now = Date.now();
  return (
    <Section
      title={words.title}
      summary={<span class="muted">{describeOpening(opening, link, now)}</span>}
      isNeeded={fields.isNeeded([...TIMES, ...TEXTS])}
    >
      {TIMES.map((name) => (
        <DateTimeField
          key={name}
          label={t.link.fields[name]!}
          note={noteOf(name)}
          hint={words.zone(ownTimeZone())}
          problem={problemOf(name)}
          incomplete={words.incomplete}
          clear={words.clear(t.link.fields[name]!)}
          value={values[name]}
          readOnly={isReadOnly}
          onChange={(value) => edit(name, value)}
        />
      ))}
      {TEXTS.map((name) => (
        <Field
          key={name}
          label={t.link.fields[name]!}
          note={noteOf(name)}
          hint={HINTS[name]}
          problem={problemOf(name)}
          value={values[name]}
          readOnly={isReadOnly}
          inputMode={INPUT_MODES[name]}
          autoComplete="off"
          spellcheck={false}
          onInput={(event) => edit(name, event.currentTarget.value)}
        />
      ))}
      <Others opening={opening} now={now} address={withScheme(values.expired_url)} />
    </Section>
  );
}

interface OthersProps {
  opening: Opening;
  now: number;
  /** The link sends visitors there who come too late; empty for none. */
  address: string;
}

/** What visitors get who come too early or too late. */
function Others({ opening: { startsAt, expiresAt, maxScans }, now, address }: OthersProps) {
  const isEarly = startsAt !== undefined && startsAt > now;
  const hasEnd = expiresAt !== undefined || maxScans !== undefined;
  if (!isEarly && !hasEnd) return null;
  const afterwards = address === '' ? words.after : words.afterAddress(withoutScheme(address));
  return <p class="wide hint break">{[isEarly && words.before, hasEnd && afterwards].filter(Boolean).join(' ')}</p>;
}

function openingOf({ starts_at, expires_at, max_scans }: Values): Opening {
  return { startsAt: timeOf(starts_at), expiresAt: timeOf(expires_at), maxScans: toCount(max_scans) };
}

function timeOf(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
