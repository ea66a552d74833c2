import type { Anchor, AnchorKeys } from '../chain/anchor-keys.js';
import type { EntryStore } from '../entries/entry-store.js';

const PROBLEMS_LISTED_MAX = 100;

export interface Comparison {
  /** Number of logs for which the file has a signed head. */
  workspaces: number;
  /** Logged heads without a valid signature: the file was changed, or belongs to another installation. */
  unsigned: number;
  differing: number;
  /** The first differences: the entry that was last at that time has changed or is gone. */
  differences: { workspace: string; seq: number }[];
}

/**
 * Compares the database with the heads in a log file of the service (`appended`). The hash of an entry covers all
 * earlier entries, so the highest head of each workspace is enough: `/verify` checks the rest.
 */
export async function compareLoggedHeads(
  entries: EntryStore,
  keys: AnchorKeys,
  lines: AsyncIterable<string>,
): Promise<Comparison> {
  const { heads, unsigned } = await highestHeads(keys, lines);
  const differences: Comparison['differences'] = [];
  let differing = 0;
  for (const [workspace, { seq, hash }] of heads) {
    if ((await entries.hashOfNumber(seq, workspace)) === hash) continue;
    differing += 1;
    if (differences.length < PROBLEMS_LISTED_MAX) differences.push({ workspace, seq });
  }
  return { workspaces: heads.size, unsigned, differing, differences };
}

async function highestHeads(keys: AnchorKeys, lines: AsyncIterable<string>) {
  const heads = new Map<string, Anchor>();
  let unsigned = 0;
  for await (const line of lines) {
    for (const [workspace, head] of headsInLine(line)) {
      if (!keys.isSigned(workspace, head)) unsigned += 1;
      else if (head.seq > (heads.get(workspace)?.seq ?? 0)) heads.set(workspace, head);
    }
  }
  return { heads, unsigned };
}

function headsInLine(line: string): [workspace: string, head: Anchor][] {
  if (!line.includes('"appended"')) return [];
  try {
    const { heads } = JSON.parse(line) as { heads?: Record<string, Anchor> };
    return Object.entries(heads ?? {});
  } catch {
    return [];
  }
}
