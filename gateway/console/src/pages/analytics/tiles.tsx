import type { Figures } from '../../api/analytics.js';
import { formatDecimal, formatNumber, formatShare } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import type { Series } from './trend-points.js';

const words = t.analytics;

interface TilesProps {
  kpis: (Figures & { previous?: Figures }) | undefined;
  hasRate: boolean;
  shown: ReadonlySet<Series>;
  onToggle: (series: Series) => void;
}

/** One strip of figures; a tile with a series is its legend and its switch. */
export function Tiles({ kpis, hasRate, shown, onToggle }: TilesProps) {
  const { previous } = kpis ?? {};
  const hasConversions = kpis === undefined || 'conversions' in kpis;
  const counts: [Series, number | null | undefined, number | null | undefined][] = [
    ['scans', kpis?.total_scans, previous?.total_scans],
    ['unique_visitors', kpis?.unique_visitors, previous?.unique_visitors],
  ];
  if (hasConversions) counts.push(['conversions', kpis?.conversions, previous?.conversions]);
  return (
    <div class="tiles">
      {counts.map(([series, value, before]) => (
        <button
          key={series}
          type="button"
          class="tile"
          aria-pressed={shown.has(series)}
          onClick={() => onToggle(series)}
        >
          <span class="tile-name">
            <Swatch series={series} isShown={shown.has(series)} />
            {words.series[series]}
          </span>
          <span class="tile-figure">{textOf(value, formatNumber)}</span>
          <Change value={value} before={before} />
        </button>
      ))}
      {hasRate && hasConversions && (
        <div class="tile">
          <span class="tile-name">{words.rate}</span>
          <span class="tile-figure">{textOf(kpis?.conversion_rate, formatShare)}</span>
          <RateChange value={kpis?.conversion_rate} before={previous?.conversion_rate} />
        </div>
      )}
    </div>
  );
}

/** Without data there is a space of the same height; a figure that the filters exclude is a dash. */
const textOf = (value: number | null | undefined, format: (value: number) => string): string =>
  value === undefined ? '\u00a0' : value === null ? '–' : format(value);

/** The mark of a series in the chart, empty while the series is hidden. */
export function Swatch({ series, isShown }: { series: Series; isShown: boolean }) {
  return (
    <svg class="swatch" viewBox="0 0 16 16" aria-hidden="true">
      {isShown && series !== 'scans' ? (
        <path class={`line ${series}`} d="M2 12 6.500 6l3 3L14 4" />
      ) : (
        <rect class={isShown ? 'bar' : 'empty'} x="5" y="3" width="6" height="11" rx="1.5" />
      )}
    </svg>
  );
}

interface ChangeProps {
  value: number | null | undefined;
  before: number | null | undefined;
}

function Change({ value, before }: ChangeProps) {
  if (value === null) return <span class="tile-change">{words.notWithFilters}</span>;
  if (value === undefined || before === null || before === undefined) return <span class="tile-change" />;
  return (
    <span class="tile-change">
      {before > 0 && <Direction difference={value - before} text={formatShare(Math.abs(value - before) / before)} />}
      {words.from(formatNumber(before))}
    </span>
  );
}

/** A rate changes in points: a percentage of a percentage misleads. */
function RateChange({ value, before }: ChangeProps) {
  if (value === null || value === undefined || before === null || before === undefined) {
    return <span class="tile-change" />;
  }
  const points = formatDecimal(Math.abs(value - before) * 100);
  return (
    <span class="tile-change">
      <Direction difference={value - before} text={words.points(points)} />
      {words.from(formatShare(before))}
    </span>
  );
}

function Direction({ difference, text }: { difference: number; text: string }) {
  if (difference === 0) return <span>{words.unchanged}</span>;
  const isUp = difference > 0;
  return (
    <strong class={isUp ? 'up' : 'down'}>
      <span aria-hidden="true">{isUp ? '▲' : '▼'} </span>
      <span class="visually-hidden">{isUp ? words.up : words.down} </span>
      {text}
    </strong>
  );
}
