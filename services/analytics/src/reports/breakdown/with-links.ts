import type { LinkStore } from '../../links/link-store.js';

/** Adds the names of links to rows whose values are their ids. */
export async function withLinks<Row extends { value: string }>(
  links: LinkStore,
  workspace: string,
  rows: readonly Row[],
): Promise<(Row & { short_code: string | null; title: string | null })[]> {
  const known = await links.linksByIds(
    workspace,
    rows.map(({ value }) => value),
  );
  return rows.map((row) => {
    const link = known.get(row.value);
    return { ...row, short_code: link?.shortCode ?? null, title: link?.title ?? null };
  });
}
