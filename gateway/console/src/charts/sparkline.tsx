const [WIDTH, HEIGHT, SLOT, BAR] = [84, 28, 12, 9];

/** Seven bars on their own scale; a tick of the baseline is a zero, and the last one, today, is hatched. */
export function Sparkline({ values, label }: { values: readonly number[] | undefined; label: string }) {
  if (!values) return <svg class="spark" width={WIDTH} height={HEIGHT} aria-hidden="true" />;
  const max = Math.max(...values, 1);
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {values.map((value, index) => {
        const height = value === 0 ? 0 : Math.max(2, Math.round((value / max) * (HEIGHT - 2)));
        const isToday = index === values.length - 1;
        if (height === 0) return <rect class="tick" x={index * SLOT} y={HEIGHT - 1} width={BAR} height={1} />;
        return (
          <rect
            class={isToday ? 'bar today' : 'bar'}
            x={index * SLOT + (isToday ? 0.5 : 0)}
            y={HEIGHT - height + (isToday ? 0.5 : 0)}
            width={isToday ? BAR - 1 : BAR}
            height={Math.max(height - (isToday ? 1 : 0), 1)}
            rx={1}
          />
        );
      })}
    </svg>
  );
}
