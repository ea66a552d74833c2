const [WIDTH, ROW, HEAD, PADDING, GAP] = [208, 18, 30, 12, 14];

interface TipProps {
  title: string;
  rows: readonly (readonly [string, string])[];
  /** The point that the tip is about. */
  x: number;
  /** The width of the chart. */
  width: number;
}

/** The figures of one point, beside it; drawn, since the content security policy allows no style of an element. */
export function ChartTip({ title, rows, x, width }: TipProps) {
  const tip = Math.min(WIDTH, width);
  const right = x + GAP + tip <= width;
  const left = right ? x + GAP : Math.max(x - GAP - tip, 0);
  const top = 20;
  return (
    <g class="tip">
      <rect x={left} y={top} width={tip} height={HEAD + rows.length * ROW + 4} rx={6} />
      <text class="head" x={left + PADDING} y={top + 20}>
        {title}
      </text>
      {rows.map(([name, value], index) => (
        <g key={name}>
          <text x={left + PADDING} y={top + HEAD + index * ROW + 11}>
            {name}
          </text>
          <text x={left + tip - PADDING} y={top + HEAD + index * ROW + 11} text-anchor="end">
            {value}
          </text>
        </g>
      ))}
    </g>
  );
}
