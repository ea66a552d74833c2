import { useEffect, useId, useState } from 'preact/hooks';
import type { Breakdowns } from '../../api/analytics.js';
import { setQuery } from '../../app/router.js';
import { Field } from '../../components/field.js';
import { FormDialog, type Fields } from '../../components/form.js';
import { Icon } from '../../components/icon.js';
import { Select } from '../../components/select.js';
import { useTask } from '../../components/task.js';
import { countDays } from '../../format/dates.js';
import { t } from '../../messages/messages.js';
import { catalogue, ensure } from '../links/catalogue.js';
import { catalogueOf, FILTERED, nameOf, textOf } from './dimensions.js';
import { COMPARISONS, setFilter, type Selection } from './selection.js';

const words = t.analytics;

/** Dimensions whose values are codes and ids, which a member knows by their names alone. */
const LISTED = new Set(['link', 'qr_code', 'country', 'language', 'device', 'trigger']);

interface ControlsProps {
  selection: Selection;
  breakdowns: Breakdowns | undefined;
}

/** The filters as chips, what the figures are compared with, and whether bots count. */
export function FilterControls({ selection, breakdowns }: ControlsProps) {
  const [isOpen, open] = useState(false);
  const { filters, compare, hasBots, start, end } = selection;
  return (
    <div class="analytics-filters">
      <div class="chips">
        {Object.keys(filters).map((dimension) => (
          <Chip key={dimension} dimension={dimension} {...{ selection, breakdowns }} />
        ))}
        <button type="button" class="button dashed" aria-haspopup="dialog" onClick={() => open(true)}>
          <Icon name="plus" />
          {words.addFilter}
        </button>
      </div>
      <select
        class="select"
        aria-label={words.compare}
        value={compare}
        onChange={({ currentTarget: { value } }) => setQuery({ compare: value === COMPARISONS[0] ? undefined : value })}
      >
        {COMPARISONS.map((name) => (
          <option key={name} value={name}>
            {words.comparisons[name](countDays(start, end))}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="button"
        aria-pressed={hasBots}
        onClick={() => setQuery({ include_bots: hasBots ? undefined : 'true' })}
      >
        {hasBots && <Icon name="check" />}
        {words.bots}
      </button>
      {isOpen && <FilterDialog {...{ selection, breakdowns }} onClose={() => open(false)} />}
    </div>
  );
}

function Chip({ dimension, selection, breakdowns }: ControlsProps & { dimension: string }) {
  const { values, isNegated } = selection.filters[dimension]!;
  const kind = catalogueOf(dimension);
  useEffect(() => {
    if (kind) void ensure(kind);
  }, [kind]);
  const text = values.map((value) => textOf(dimension, value, breakdowns?.data[dimension])).join(', ');
  return (
    <span class="chip">
      <span title={text}>
        {nameOf(dimension)} {isNegated && words.not} <strong>{text}</strong>
      </span>
      <button
        type="button"
        aria-label={t.links.removeFilter(nameOf(dimension))}
        onClick={() => setFilter(dimension, undefined)}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

function FilterDialog({ selection, breakdowns, onClose }: ControlsProps & { onClose: () => void }) {
  const [dimension, choose] = useState(FILTERED[0]!);
  const [problem, setProblem] = useState<string>();
  const list = useId();
  const kind = catalogueOf(dimension);
  useEffect(() => {
    if (kind) void ensure(kind);
  }, [kind]);
  const options = optionsOf(dimension, breakdowns);
  const isClosed = kind !== undefined || LISTED.has(dimension);
  const task = useTask((fields: Fields) => {
    const typed = fields['value']!;
    const value = options.find((option) => option.text === typed)?.value ?? (isClosed ? '' : typed);
    if (value === '') {
      setProblem(isClosed ? words.chooseListed : words.valueNeeded);
      return Promise.resolve();
    }
    const isNegated = fields['mode'] === 'not';
    const known = selection.filters[dimension];
    // A further value of the same kind widens the filter.
    const others = known?.isNegated === isNegated ? known.values.filter((each) => each !== value) : [];
    setFilter(dimension, { values: [...others, value], isNegated });
    onClose();
    return Promise.resolve();
  });
  return (
    <FormDialog title={words.addFilter} task={task} submit={words.addFilter} onClose={onClose}>
      <Select
        label={words.filterBy}
        value={dimension}
        options={Object.fromEntries(FILTERED.map((name) => [name, nameOf(name)]))}
        onChange={(name) => {
          choose(name);
          setProblem(undefined);
        }}
      />
      <Select label={words.mode} name="mode" options={words.modes} />
      <Field
        key={dimension}
        label={words.value}
        name="value"
        list={list}
        maxLength={255}
        autoComplete="off"
        problem={problem}
      />
      <datalist id={list}>
        {options.map(({ value, text }) => (
          <option key={value} value={text} />
        ))}
      </datalist>
    </FormDialog>
  );
}

/** The values that are known by name: all tags and folders, and of everything else what the figures show. */
function optionsOf(dimension: string, breakdowns: Breakdowns | undefined): { value: string; text: string }[] {
  const kind = catalogueOf(dimension);
  if (kind) return (catalogue.value[kind] ?? []).map(({ id, name }) => ({ value: id, text: name }));
  const rows = breakdowns?.data[dimension] ?? [];
  return rows.map(({ value }) => ({ value, text: textOf(dimension, value, rows) }));
}
