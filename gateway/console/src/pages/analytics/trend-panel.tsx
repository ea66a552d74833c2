import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Money, Summary } from '../../api/analytics.js';
import { TrendChart, type ChartHeight } from '../../charts/trend-chart.js';
import { formatDates, formatMoney, formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { TableSwitch } from './table-switch.js';
import { Tiles } from './tiles.js';
import { pointsOf, titleOf, type Series } from './trend-points.js';

const words = t.analytics;

/** More would not fit into the foot of the panel. */
const CURRENCIES_SHOWN_MAX = 3;

interface PanelProps {
  summary: Summary | undefined;
  height: ChartHeight;
  /** The title; the page of a link has one. */
  head?: ComponentChildren;
  hasRate?: boolean;
  /** Beside the legend. */
  controls?: ComponentChildren;
  /** A remark about the figures, shown over the chart so that nothing moves when it appears. */
  note?: ComponentChildren;
  /** Selects the days of a point. */
  onOpen?: (date: string) => void;
}

/** The figures, and their course as a chart or as a table. */
export function TrendPanel({ summary, height, head, hasRate = true, controls, note, onOpen }: PanelProps) {
  const [shown, show] = useState<ReadonlySet<Series>>(new Set(COUNTS));
  const [isTable, setTable] = useState(false);
  const toggle = (series: Series) => {
    show(toggled(shown, series));
  };
  const kpis = summary?.data.kpis;
  return (
    <section class="panel">
      {head ?? <h2 class="visually-hidden">{words.figures}</h2>}
      <Tiles {...{ kpis, hasRate, shown }} onToggle={toggle} />
      {!summary && <div class="chart-space" />}
      {summary && (
        <figure class="trend">
          <figcaption class="visually-hidden">{describe(summary)}</figcaption>
          {note && <div class={isTable ? undefined : 'chart-note'}>{note}</div>}
          {isTable ? <TrendTable summary={summary} /> : <Chart {...{ summary, shown, height, onOpen }} />}
        </figure>
      )}
      <div class="panel-foot">
        {summary && <Legend summary={summary} hasScans={shown.has('scans')} />}
        <span class="foot-controls">
          {controls}
          <TableSwitch isTable={isTable} onChange={setTable} />
        </span>
      </div>
    </section>
  );
}

const COUNTS: readonly Series[] = ['scans', 'unique_visitors'];

/** Conversions are shown alone: on the axis of scans, which are many more, they would be a flat line. */
function toggled(shown: ReadonlySet<Series>, series: Series): ReadonlySet<Series> {
  if (series === 'conversions') return new Set(shown.has(series) ? COUNTS : [series]);
  const next = new Set(COUNTS.filter((each) => shown.has(each)));
  if (!next.delete(series)) next.add(series);
  return next;
}

interface ChartProps {
  summary: Summary;
  shown: ReadonlySet<Series>;
  height: ChartHeight;
  onOpen: ((date: string) => void) | undefined;
}

function Chart({ summary, shown, height, onOpen }: ChartProps) {
  const lines = (['unique_visitors', 'conversions'] as const).filter((series) => shown.has(series));
  return (
    <TrendChart
      points={pointsOf(summary, lines)}
      label={words.trend[summary.meta.interval]}
      barName={words.series.scans}
      hasBars={shown.has('scans')}
      lines={lines.map((series) => ({ name: words.series[series], class: series }))}
      height={height}
      onOpen={onOpen && ((index) => onOpen(summary.data.trend[index]!.date))}
    />
  );
}

function Legend({ summary, hasScans }: { summary: Summary; hasScans: boolean }) {
  const { compared_with: compared, interval } = summary.meta;
  const isPartial = pointsOf(summary, []).some((point) => point.isPartial);
  const sums = summary.data.kpis.conversion_values ?? [];
  return (
    <span class="legend">
      {compared && hasScans && (
        <span>
          <svg class="swatch" viewBox="0 0 16 16" aria-hidden="true">
            <path class="previous" d="M1 7h7V5h7v9H1z" />
            <path class="previous-edge" d="M1 7h7V5h7" />
          </svg>
          {words.comparedWith(formatDates(compared.start_date, compared.end_date))}
        </span>
      )}
      {isPartial && hasScans && (
        <span>
          <svg class="swatch" viewBox="0 0 16 16" aria-hidden="true">
            <rect class="bar partial" x="5" y="3" width="6" height="11" rx="1.500" />
          </svg>
          {words.partial[interval]}
        </span>
      )}
      {sums.length > 0 && <span>{words.sums(listSums(sums))}</span>}
    </span>
  );
}

function listSums(sums: readonly Money[]): string {
  const shown = sums.slice(0, CURRENCIES_SHOWN_MAX).map(({ value, currency }) => formatMoney(value, currency));
  const restCount = sums.length - shown.length;
  return [...shown, ...(restCount > 0 ? [words.moreCurrencies(restCount)] : [])].join(' · ');
}

function describe({ data, meta }: Summary): string {
  const range = formatDates(meta.start_date, meta.end_date);
  const best = data.trend.reduce(
    (most, point) => ((point.scans ?? 0) > (most.scans ?? 0) ? point : most),
    data.trend[0]!,
  );
  return words.description(
    range,
    formatNumber(data.kpis.total_scans),
    data.kpis.total_scans > 0 ? titleOf(best, meta.interval, meta.timezone) : undefined,
  );
}

const formatCount = (count: number | null | undefined): string =>
  typeof count === 'number' ? formatNumber(count) : '–';

/** The same figures as the chart. */
function TrendTable({ summary: { data, meta } }: { summary: Summary }) {
  const { interval, timezone } = meta;
  const hasConversions = data.trend.some(({ conversions }) => typeof conversions === 'number');
  return (
    <div class="table-space" tabIndex={0} role="region" aria-label={words.trend[interval]}>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{words.time}</th>
            <th scope="col">{words.series.scans}</th>
            <th scope="col">{words.series.unique_visitors}</th>
            {hasConversions && <th scope="col">{words.series.conversions}</th>}
            {meta.compared_with && <th scope="col">{words.before}</th>}
          </tr>
        </thead>
        <tbody>
          {data.trend.map((point) => (
            <tr key={point.starts_at}>
              <th scope="row">{titleOf(point, interval, timezone)}</th>
              <td>{formatCount(point.scans)}</td>
              <td>{formatCount(point.unique_visitors)}</td>
              {hasConversions && <td>{formatCount(point.conversions)}</td>}
              {meta.compared_with && <td>{point.previous ? formatNumber(point.previous.scans) : '–'}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
