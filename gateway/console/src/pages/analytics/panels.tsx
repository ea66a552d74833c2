import { useEffect, useState } from 'preact/hooks';
import { fetchBreakdowns, type BreakdownRow, type Breakdowns } from '../../api/analytics.js';
import { workspace } from '../../app/session.js';
import { RankedBars, type RankedRow } from '../../charts/ranked-bars.js';
import { TrendChart } from '../../charts/trend-chart.js';
import { TabPanel } from '../../components/tabs.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { formatNumber, formatWeekday } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { ensure } from '../links/catalogue.js';
import { catalogueOf, textOf, titleOf } from './dimensions.js';
import { addressOfRow, isChosen, parametersOf, type Selection } from './selection.js';
import { TableSwitch } from './table-switch.js';

const words = t.analytics;

const TIME_HEIGHT = { wide: 176, narrow: 176 };

/** Rows of a panel before the user asks for all; the API answers at most 100. */
const ROWS_SHOWN = 7;
const ROWS_MAX = 100;

interface PanelProps {
  label: string;
  dimensions: readonly string[];
  breakdowns: Breakdowns | undefined;
  selection: Selection;
}

/** The values of one dimension at a time, ranked. */
export function RankedPanel({ label, dimensions, breakdowns, selection }: PanelProps) {
  const [current, choose] = useState(dimensions[0]!);
  const kind = catalogueOf(current);
  useEffect(() => {
    if (kind) void ensure(kind);
  }, [kind]);
  const all = useAllRows(current, selection);
  const rows = all.rows ?? breakdowns?.data[current] ?? [];
  const shown = all.rows ?? rows.slice(0, ROWS_SHOWN);
  const hasMore = rows.length > shown.length;
  const total = breakdowns?.meta.total ?? 0;
  return (
    <TabPanel
      label={label}
      tabs={dimensions.map((id) => ({ id, text: titleOf(id) }))}
      current={current}
      onChange={choose}
      foot={
        (hasMore || all.rows !== undefined) && (
          <button type="button" class="link-button" onClick={() => void all.toggle()}>
            {all.rows ? words.fewer : words.all}
          </button>
        )
      }
    >
      {breakdowns && rows.length === 0 && <p class="none">{words.noScans}</p>}
      <FailureNotice failure={all.failure} />
      {!breakdowns && <LoadingBars />}
      {rows.length > 0 && (
        <RankedBars
          caption={titleOf(current)}
          heads={[titleOf(current), words.series.scans, words.share]}
          rows={[...shown.map((row) => toRow(current, row, { rows, selection })), ...others(current, shown, total)]}
        />
      )}
    </TabPanel>
  );
}

interface RowContext {
  rows: readonly BreakdownRow[];
  selection: Selection;
}

function toRow(dimension: string, row: BreakdownRow, { rows, selection }: RowContext): RankedRow {
  const text = textOf(dimension, row.value, rows);
  return {
    key: row.value,
    text: row.title ? `${text} · ${row.title}` : text,
    code: dimension === 'country' && row.value.length === 2 ? row.value : undefined,
    count: row.scans,
    share: row.share,
    href: addressOfRow(dimension, row.value, selection),
    isChosen: isChosen(selection.filters[dimension], row.value),
  };
}

/** One row for the values that are not shown, so that the shares add up; a scan may count for several tags. */
function others(dimension: string, shown: readonly BreakdownRow[], total: number): RankedRow[] {
  const count = total - shown.reduce((sum, { scans }) => sum + scans, 0);
  if (dimension === 'tag' || count <= 0) return [];
  return [{ key: '', text: words.other, count, share: count / total, isRest: true }];
}

/** All values of the dimension, once the user asks for them. */
function useAllRows(dimension: string, selection: Selection) {
  const parameters = parametersOf(selection);
  const key = `${dimension} ${JSON.stringify(parameters)}`;
  const [all, setAll] = useState<{ key: string; rows: BreakdownRow[] }>();
  const task = useTask(async () => {
    const query = { ...parameters, dimensions: dimension, limit: String(ROWS_MAX) };
    const { data } = await fetchBreakdowns(workspace.value, query);
    setAll({ key, rows: data[dimension] ?? [] });
  });
  const rows = all?.key === key ? all.rows : undefined;
  return { rows, failure: task.failure, toggle: async () => (rows ? setAll(undefined) : task.start()) };
}

function LoadingBars() {
  return (
    <div class="loading-bars" aria-hidden="true">
      {Array.from({ length: ROWS_SHOWN }, (_, index) => (
        <div key={index} />
      ))}
    </div>
  );
}

const TIMES = {
  hour: Array.from({ length: 24 }, (_, hour) => ({
    value: String(hour),
    label: String(hour),
    title: words.hour(hour),
  })),
  weekday: Array.from({ length: 7 }, (_, index) => ({
    value: String(index + 1),
    label: formatWeekday(index + 1).slice(0, 3),
    title: formatWeekday(index + 1),
  })),
};
type TimeDimension = keyof typeof TIMES;

/** The hours of the day, or the days of the week. */
export function TimePanel({ label, breakdowns }: Pick<PanelProps, 'label' | 'breakdowns'>) {
  const [current, choose] = useState<TimeDimension>('hour');
  const [isTable, setTable] = useState(false);
  const scansOf = new Map(breakdowns?.data[current]?.map(({ value, scans }) => [value, scans]));
  const points = TIMES[current].map(({ value, ...names }) => ({ ...names, count: scansOf.get(value) ?? 0 }));
  return (
    <TabPanel
      label={label}
      tabs={Object.keys(TIMES).map((id) => ({ id, text: titleOf(id) }))}
      current={current}
      onChange={(id) => choose(id as TimeDimension)}
      foot={
        <span class="foot-controls">
          <TableSwitch isTable={isTable} onChange={setTable} />
        </span>
      }
    >
      <figure class="trend">
        <figcaption class="visually-hidden">{words.byTime[current]}</figcaption>
        {isTable ? (
          <div class="table-space" tabIndex={0} role="region" aria-label={words.byTime[current]}>
            <table class="figures">
              <thead>
                <tr>
                  <th scope="col">{titleOf(current)}</th>
                  <th scope="col">{words.series.scans}</th>
                </tr>
              </thead>
              <tbody>
                {points.map(({ title, count }) => (
                  <tr key={title}>
                    <th scope="row">{title}</th>
                    <td>{formatNumber(count)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ) : (
          <TrendChart
            points={points.map(({ label: text, title, count }) => ({
              label: text,
              isLabelled: true,
              title,
              bar: count,
              lines: [],
              isPartial: false,
            }))}
            label={words.byTime[current]}
            barName={words.series.scans}
            labelWidth={36}
            height={TIME_HEIGHT}
          />
        )}
      </figure>
    </TabPanel>
  );
}
