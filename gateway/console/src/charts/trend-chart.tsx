import { useId, useRef, useState } from 'preact/hooks';
import { formatNumber } from '../format/format.js';
import { t } from '../messages/messages.js';
import { gridValues, pickLabels } from './scale.js';
import { ChartTip } from './chart-tip.js';
import { useWidth } from './use-width.js';

export interface ChartPoint {
  /** Below the axis, where there is room. */
  label: string;
  /** Whether the label is one of those to show first, e.g. of a day that starts a week. */
  isLabelled: boolean;
  /** The whole name of the point. */
  title: string;
  bar: number;
  /** The value of each line, in the order of `lines`. */
  lines: readonly number[];
  previous?: { label: string; value: number } | undefined;
  /** Whether the time of the point has not ended yet. */
  isPartial: boolean;
}

export interface ChartHeight {
  wide: number;
  narrow: number;
}

interface ChartProps {
  points: readonly ChartPoint[];
  /** Says what the chart shows. */
  label: string;
  barName: string;
  hasBars?: boolean;
  lines?: readonly { name: string; class: string }[];
  height: ChartHeight;
  /** The room of each label below the axis. */
  labelWidth?: number;
  onOpen?: ((index: number) => void) | undefined;
}

const [TOP, BOTTOM, END, DIGIT] = [12, 28, 4, 7];
const LABEL_WIDTH = 56;
/** Narrower charts are lower. */
const NARROW = 480;

/** Bars from zero, lines above them, and the previous period behind; the arrow keys move a cursor. */
export function TrendChart(props: ChartProps) {
  const { points, label, onOpen } = props;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [chosen, setCursor] = useState<number>();
  // Other points may be fewer.
  const cursor = chosen !== undefined && chosen < points.length ? chosen : undefined;
  const current = cursor === undefined ? undefined : points[cursor];
  const height = width < NARROW ? props.height.narrow : props.height.wide;
  const frame = layOut(props, { width, height });
  const last = points.length - 1;

  const onKeyDown = (event: KeyboardEvent) => {
    const targets: Record<string, number> = {
      ArrowLeft: Math.max((cursor ?? last + 1) - 1, 0),
      ArrowRight: Math.min((cursor ?? -1) + 1, last),
      Home: 0,
      End: last,
    };
    if (event.key in targets) setCursor(targets[event.key]);
    else if (event.key === 'Escape') setCursor(undefined);
    else if (event.key === 'Enter' && cursor !== undefined) onOpen?.(cursor);
    else return;
    event.preventDefault();
  };
  const indexAt = (event: MouseEvent) => {
    const x = event.clientX - box.current!.getBoundingClientRect().left - frame.start;
    return Math.min(Math.max(Math.floor(x / frame.slot), 0), last);
  };
  return (
    <div
      class={onOpen ? 'chart opens' : 'chart'}
      ref={box}
      tabIndex={0}
      role="slider"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(last, 0)}
      aria-valuenow={cursor ?? Math.max(last, 0)}
      aria-valuetext={describe(points[cursor ?? last], props)}
      onKeyDown={onKeyDown}
      onPointerMove={(event) => setCursor(indexAt(event))}
      onPointerLeave={() => setCursor(undefined)}
      onBlur={() => setCursor(undefined)}
      onClick={(event) => {
        // A touch shows the figures; there is no other way to see them.
        if ((event as unknown as PointerEvent).pointerType !== 'touch') onOpen?.(indexAt(event));
      }}
    >
      <svg width={Math.max(width, 1)} height={height} aria-hidden="true">
        {width > 0 && <Drawing {...props} frame={frame} cursor={cursor} />}
        {current && (
          <ChartTip title={current.title} rows={rowsOf(current, props)} x={frame.center(cursor!)} width={width} />
        )}
      </svg>
    </div>
  );
}

interface Frame {
  start: number;
  end: number;
  slot: number;
  grid: number[];
  y: (value: number) => number;
  center: (index: number) => number;
}

function layOut({ points, hasBars = true }: ChartProps, { width, height }: { width: number; height: number }): Frame {
  const values = points.flatMap((point) => [
    ...(hasBars ? [point.bar, point.previous?.value ?? 0] : []),
    ...point.lines,
  ]);
  const grid = gridValues(Math.max(0, ...values));
  const max = grid.at(-1)!;
  const start = formatNumber(max).length * DIGIT + 12;
  const end = Math.max(width - END, start + 1);
  const slot = (end - start) / Math.max(points.length, 1);
  const floor = height - BOTTOM;
  return {
    start,
    end,
    slot,
    grid,
    y: (value) => floor - (value / max) * (floor - TOP),
    center: (index) => start + (index + 0.5) * slot,
  };
}

function Drawing(props: ChartProps & { frame: Frame; cursor: number | undefined }) {
  const { points, lines = [], hasBars = true, frame, cursor } = props;
  const hatch = useId();
  const { start, end, slot, grid, y, center } = frame;
  const bar = Math.max(slot * 0.6, 1);
  return (
    <>
      <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path class="hatch" d="M0 0v4" />
      </pattern>
      {cursor !== undefined && (
        <rect class="cursor" x={center(cursor) - slot / 2} y={TOP} width={slot} height={y(0) - TOP} />
      )}
      {grid.map((value) => (
        <g key={value}>
          <path class={value === 0 ? 'axis' : 'grid'} d={`M${start} ${y(value)}H${end}`} />
          <text x={start - 8} y={y(value) + 4} text-anchor="end">
            {formatNumber(value)}
          </text>
        </g>
      ))}
      {hasBars && <Previous points={points} frame={frame} />}
      {hasBars &&
        points.map((point, index) => (
          <rect
            key={index}
            class={point.isPartial ? 'bar partial' : 'bar'}
            x={center(index) - bar / 2}
            y={y(point.bar)}
            width={bar}
            height={y(0) - y(point.bar)}
            rx={Math.min(bar / 4, 1.5)}
            fill={point.isPartial ? `url(#${hatch})` : undefined}
          />
        ))}
      {lines.map((line, number) => (
        <Line
          key={line.class}
          class={line.class}
          points={points.map((point, index) => [center(index), y(point.lines[number]!)])}
        />
      ))}
      {cursor !== undefined &&
        lines.map((line, number) => (
          <circle
            key={line.class}
            class={`point ${line.class}`}
            cx={center(cursor)}
            cy={y(points[cursor]!.lines[number]!)}
            r={3.5}
          />
        ))}
      <Labels {...props} />
    </>
  );
}

/** The previous period as a contour of steps. */
function Previous({ points, frame }: { points: readonly ChartPoint[]; frame: Frame }) {
  if (!points.some(({ previous }) => previous)) return null;
  const { slot, y, start } = frame;
  const steps = points
    .map(({ previous }, index) => `V${y(previous?.value ?? 0)}H${start + (index + 1) * slot}`)
    .join('');
  const first = `M${start} ${y(points[0]!.previous?.value ?? 0)}`;
  return (
    <>
      <path class="previous" d={`M${start} ${y(0)}${steps}V${y(0)}Z`} />
      <path class="previous-edge" d={`${first}${steps}`} />
    </>
  );
}

/** A line with a casing, which separates it from the bars behind it. */
function Line({ points, class: className }: { points: (readonly [number, number])[]; class: string }) {
  const path = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  // A line of one point is a dot.
  const end = points.length === 1 ? 'h.01' : '';
  return (
    <>
      <path class="casing" d={path + end} />
      <path class={`line ${className}`} d={path + end} />
    </>
  );
}

function Labels({ points, labelWidth = LABEL_WIDTH, frame }: ChartProps & { frame: Frame }) {
  const { slot, center, y, start, end } = frame;
  const wanted = points.flatMap((point, index) => (point.isLabelled ? [index] : []));
  return (
    <>
      {pickLabels(wanted, { slot, width: labelWidth }).map((index) => {
        const half = points[index]!.label.length * 3.4;
        const x = Math.min(Math.max(center(index), start + half - 8), end - half);
        return (
          <g key={index}>
            <path class="axis" d={`M${center(index)} ${y(0)}v4`} />
            <text x={x} y={y(0) + 18} text-anchor="middle">
              {points[index]!.label}
            </text>
          </g>
        );
      })}
    </>
  );
}

function rowsOf(point: ChartPoint, { barName, lines = [], hasBars = true }: ChartProps): [string, string][] {
  const rows: [string, string][] = hasBars ? [[barName, formatNumber(point.bar)]] : [];
  lines.forEach(({ name }, index) => rows.push([name, formatNumber(point.lines[index]!)]));
  if (hasBars && point.previous)
    rows.push([t.charts.on(barName, point.previous.label), formatNumber(point.previous.value)]);
  return rows;
}

const describe = (point: ChartPoint | undefined, props: ChartProps): string =>
  point
    ? `${point.title}. ${rowsOf(point, props)
        .map((row) => row.join(': '))
        .join(', ')}`
    : '';
