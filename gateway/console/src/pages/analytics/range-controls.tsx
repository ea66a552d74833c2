import { useState } from 'preact/hooks';
import { setQuery } from '../../app/router.js';
import { Field } from '../../components/field.js';
import { FormDialog, type Fields } from '../../components/form.js';
import { Icon } from '../../components/icon.js';
import { Select } from '../../components/select.js';
import { useTask } from '../../components/task.js';
import { addDays, isDate, ownTimeZone, startOfMonth, todayIn } from '../../format/dates.js';
import { formatDates } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { PRESETS, setPreset, setRange, type Selection } from './selection.js';

const words = t.analytics;

/** The range: the last days by one click, or any dates in any time zone. */
export function RangeControls({ selection }: { selection: Selection }) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <div class="segments" role="group" aria-label={words.range}>
        {PRESETS.map((days) => (
          <button key={days} type="button" aria-pressed={selection.preset === days} onClick={() => setPreset(days)}>
            {words.presets[days]}
          </button>
        ))}
      </div>
      <button type="button" class="button" aria-haspopup="dialog" onClick={() => open(true)}>
        <Icon name="calendar" />
        <span>
          <span class="visually-hidden">{words.chooseRange} </span>
          {formatDates(selection.start, selection.end)}
        </span>
      </button>
      {isOpen && <RangeDialog selection={selection} onClose={() => open(false)} />}
    </>
  );
}

const zoneNames = (): string[] => [...new Set([ownTimeZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])];

function RangeDialog({ selection, onClose }: { selection: Selection; onClose: () => void }) {
  const [problems, setProblems] = useState<{ from?: string; until?: string }>({});
  const { start, end, timezone } = selection;
  const zones = [...new Set([timezone, ...zoneNames()])];
  const task = useTask((fields: Fields) => {
    const [from, until] = [fields['from']!, fields['until']!];
    const found = {
      ...(!isDate(from) && { from: words.dateNeeded }),
      ...(!isDate(until) && { until: words.dateNeeded }),
      ...(isDate(from) && isDate(until) && from > until && { until: words.reversed }),
    };
    setProblems(found);
    if (Object.keys(found).length > 0) return Promise.resolve();
    const zone = fields['timezone']!;
    // Dates that were not changed stay days that end today.
    if (from !== start || until !== end) setRange(from, until);
    setQuery({ timezone: zone === ownTimeZone() ? undefined : zone });
    onClose();
    return Promise.resolve();
  });
  return (
    <FormDialog title={words.chooseRange} task={task} submit={words.show} onClose={onClose}>
      <Months timezone={timezone} onChosen={onClose} />
      <Field label={words.from_} name="from" type="date" defaultValue={start} problem={problems.from} />
      <Field label={words.until} name="until" type="date" defaultValue={end} problem={problems.until} />
      <Select
        label={words.timezone}
        name="timezone"
        value={timezone}
        options={Object.fromEntries(zones.map((zone) => [zone, zone.replaceAll('_', ' ')]))}
      />
    </FormDialog>
  );
}

function Months({ timezone, onChosen }: { timezone: string; onChosen: () => void }) {
  const today = todayIn(timezone);
  const start = startOfMonth(today);
  const endOfLast = addDays(start, -1);
  const choose = (from: string, until: string) => {
    setRange(from, until);
    onChosen();
  };
  return (
    <div class="choices" role="group" aria-label={words.months}>
      <button type="button" class="button small" onClick={() => choose(start, today)}>
        {words.thisMonth}
      </button>
      <button type="button" class="button small" onClick={() => choose(startOfMonth(endOfLast), endOfLast)}>
        {words.lastMonth}
      </button>
    </div>
  );
}
