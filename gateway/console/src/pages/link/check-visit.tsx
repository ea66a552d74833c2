import { useRef, useState } from 'preact/hooks';
import { explainVisit, type Explanation } from '../../api/explain.js';
import type { Link } from '../../api/links.js';
import { workspace } from '../../app/session.js';
import { DateTimeField, showIncomplete } from '../../components/date-time-field.js';
import { Field } from '../../components/field.js';
import { Select } from '../../components/select.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { listCountries } from '../../format/countries.js';
import { ownTimeZone } from '../../format/dates.js';
import { languageName } from '../../format/format.js';
import { visits } from '../../messages/visits.js';
import { ExplainedVisit } from './explained-visit.js';
import { LANGUAGES, visitOf, type Device, type TriedValues } from './try-visit.js';

const words = visits.check;
const EMPTY: TriedValues = { behind: '', device: 'windows', country: '', language: '', at: '' };
/** Options with digits alone would come first in an object: no code is one. */
const COUNTRIES = { '': words.any, ...Object.fromEntries(listCountries()) };
const LANGUAGE_OPTIONS = { '': words.any, ...Object.fromEntries(LANGUAGES.map((code) => [code, languageName(code)])) };

/** Tells what a visitor would get, and why. */
export function CheckVisit({ link }: { link: Link }) {
  const [values, setValues] = useState(EMPTY);
  const [explanation, setExplanation] = useState<Explanation>();
  const form = useRef<HTMLFormElement>(null);
  const task = useTask(async () => {
    setExplanation(undefined);
    setExplanation(await explainVisit(workspace.value, visitOf(link.short_url, values)));
  });
  const edit = (part: Partial<TriedValues>) => setValues({ ...values, ...part });
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{words.title}</h2>
      </header>
      <form
        class="panel-body form-grid"
        noValidate
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!showIncomplete(form.current!)) void task.start();
        }}
      >
        <p class="wide hint">{words.intro}</p>
        <Field
          label={words.behind}
          hint={words.behindHint}
          problem={task.failure?.of('url')}
          value={values.behind}
          inputMode="url"
          autoComplete="off"
          autoCapitalize="off"
          spellcheck={false}
          onInput={(event) => edit({ behind: event.currentTarget.value })}
        />
        <Select
          label={words.device}
          options={words.devices}
          value={values.device}
          onChange={(device) => edit({ device: device as Device })}
        />
        <Select
          label={words.country}
          options={COUNTRIES}
          value={values.country}
          onChange={(country) => edit({ country })}
        />
        <Select
          label={words.language}
          options={LANGUAGE_OPTIONS}
          value={values.language}
          onChange={(language) => edit({ language })}
        />
        <DateTimeField
          label={words.at}
          hint={words.atHint(ownTimeZone())}
          problem={task.failure?.of('at')}
          incomplete={visits.when.incomplete}
          clear={visits.when.clear(words.at)}
          value={values.at}
          onChange={(at) => edit({ at })}
        />
        <div class="wide stack">
          <FailureNotice failure={task.failure} fields={['url', 'at']} />
          <span>
            <button type="submit" class="button" aria-disabled={task.isBusy}>
              {words.submit}
            </button>
          </span>
        </div>
      </form>
      <div aria-live="polite">{explanation && <ExplainedVisit explanation={explanation} />}</div>
    </section>
  );
}
