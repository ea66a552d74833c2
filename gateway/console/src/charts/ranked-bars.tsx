import { formatNumber, formatShare } from '../format/format.js';

export interface RankedRow {
  key: string;
  text: string;
  /** In front of the text, e.g. the code of a country. */
  code?: string | undefined;
  count: number;
  share: number;
  /** Filters by the row; a row that summarises others has none. */
  href?: string | undefined;
  isChosen?: boolean;
  /** Whether it sums up the values that are not shown: it has no bar, which would often be the longest. */
  isRest?: boolean;
}

interface RankedProps {
  caption: string;
  heads: readonly [string, string, string];
  rows: readonly RankedRow[];
}

/** A table whose first column is a bar chart: the longest bar fills the column. */
export function RankedBars({ caption, heads, rows }: RankedProps) {
  const max = Math.max(...rows.filter(({ isRest }) => !isRest).map(({ count }) => count), 1);
  return (
    <table class="ranked">
      <caption class="visually-hidden">{caption}</caption>
      <colgroup>
        <col />
        <col class="count" />
        <col class="share" />
      </colgroup>
      <thead class="visually-hidden">
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key} class={row.isRest ? 'muted' : undefined}>
            <th scope="row">
              {!row.isRest && (
                <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={Math.max((row.count / max) * 100, 0.5)} height="1" />
                </svg>
              )}
              <Label {...row} />
            </th>
            <td>{formatNumber(row.count)}</td>
            <td class="share">{formatShare(row.share)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Label({ text, code, href, isChosen }: RankedRow) {
  const content = (
    <>
      {code !== undefined && <span class="code">{code}</span>}
      <span class="truncate">{text}</span>
    </>
  );
  if (href === undefined) return <span class="ranked-label">{content}</span>;
  return (
    <a class="ranked-label" href={href} title={text} aria-current={isChosen ? 'true' : undefined}>
      {content}
    </a>
  );
}
