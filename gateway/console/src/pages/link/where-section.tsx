import type { Link } from '../../api/links.js';
import { Section } from '../../components/section.js';
import { Select } from '../../components/select.js';
import { withoutScheme } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { visits } from '../../messages/visits.js';
import type { FormFields } from './form-fields.js';
import type { Values } from './form-values.js';

const words = visits.where;
const EXAMPLE_PATH = '/a/b';

/** How visitors are redirected, and what of their address is passed on. */
export function WhereSection({ link, fields }: { link: Link; fields: FormFields }) {
  const { values, isReadOnly, edit, noteOf } = fields;
  const choose = (name: 'redirect_status' | 'query_policy') => ({
    label: t.link.fields[name]!,
    note: noteOf(name),
    value: values[name],
    disabled: isReadOnly,
    onChange: (value: string) => edit(name, value),
  });
  const isForwarding = values.forward_path === 'true';
  return (
    <Section
      title={words.title}
      summary={<span class="muted">{summaryOf(values)}</span>}
      isNeeded={fields.isNeeded(['redirect_status', 'query_policy', 'forward_path'])}
    >
      <Select
        {...choose('redirect_status')}
        options={words.statuses}
        hint={words.statusHints[values.redirect_status]}
      />
      <Select {...choose('query_policy')} options={t.link.policies} />
      <div class="wide">
        <label class="option">
          <input
            type="checkbox"
            checked={isForwarding}
            disabled={isReadOnly}
            aria-describedby="forward-path-hint"
            onChange={() => edit('forward_path', String(!isForwarding))}
          />
          <span>
            {t.link.fields['forward_path']}
            {noteOf('forward_path')}
          </span>
        </label>
        <p class="hint break" id="forward-path-hint">
          {exampleOf(link, values.destination_url, isForwarding)}
        </p>
      </div>
    </Section>
  );
}

function summaryOf({ redirect_status, query_policy, forward_path }: Values): string {
  const parameters = t.link.values['query_policy']![query_policy] ?? query_policy;
  return words.summary(redirect_status, parameters, forward_path === 'true');
}

function exampleOf(link: Link, destination: string, isForwarding: boolean): string {
  const from = withoutScheme(link.short_url) + EXAMPLE_PATH;
  if (!isForwarding) return words.forwardOff(from);
  const address = destination.replace(/[?#].*$/s, '').replace(/\/$/, '');
  return words.forwardExample(from, withoutScheme(address + EXAMPLE_PATH));
}
