import type { Actor } from '@waymark/contract/identity';
import { newId } from '@waymark/contract/ids';
import { appendEntries, type AppendContext } from '@waymark/audit/collecting/append-entries';
import type { Entry } from '@waymark/audit/chain/entry';

/** Both logs grow at the same rate: one is a day old, the other three years. */
export const ENTRIES_A_DAY = 1000;
export const LAST_DAY = Date.UTC(2026, 9, 31);
const DAY_MS = 24 * 3600 * 1000;
const ACTORS = 20;

/** A rare action, once in `RARE_EVERY` entries. */
export const RARE = 'webhook.disabled';
const RARE_EVERY = 500;

/** The other actions, by their share in ten. */
const ACTIONS = [
  ...Array<string>(4).fill('link.updated'),
  ...Array<string>(3).fill('link.created'),
  'conversion.recorded',
  'session.created',
  'token.created',
];

export function actorOf(index: number): Actor {
  const person = index % ACTORS;
  const byProgram = person % 2 === 0;
  return {
    type: byProgram ? 'token' : 'user',
    id: `usr_${person}`,
    name: `Person ${person}`,
    email: `person-${person}@example.com`,
    token_id: byProgram ? `tok_${person}` : null,
  };
}

function entry(workspace: string, count: number, index: number): Entry {
  const action = index % RARE_EVERY === 0 ? RARE : ACTIONS[(index * 7 + Math.floor(index / ACTORS)) % ACTIONS.length]!;
  const type = action.split('.')[0]!;
  return {
    _id: newId('aud'),
    workspace,
    action,
    actor: actorOf(index * 13),
    target: { type, id: `${type}_${index}`, label: `Label ${index}` },
    changes: JSON.stringify({ title: { from: `Title ${index}`, to: `Title ${index + 1}` } }),
    ipAddress: '203.0.113.7',
    requestId: `request-${index}`,
    createdAt: new Date(LAST_DAY + DAY_MS - 1 - (count - 1 - index) * (DAY_MS / ENTRIES_A_DAY)),
  };
}

/** Appends through the service's own code. @returns entries per second, for each tenth of them */
export async function seedLog(
  stores: AppendContext,
  workspace: string,
  { count, batch }: { count: number; batch: number },
): Promise<number[]> {
  const rates: number[] = [];
  const tenth = Math.ceil(count / 10);
  for (let from = 0; from < count; from += tenth) {
    const startedAt = performance.now();
    const end = Math.min(from + tenth, count);
    for (let start = from; start < end; start += batch) {
      const entries = Array.from({ length: Math.min(batch, end - start) }, (_, i) =>
        entry(workspace, count, start + i),
      );
      await appendEntries(stores, entries);
    }
    rates.push(Math.round(((end - from) / (performance.now() - startedAt)) * 1000));
    console.error(`${workspace}: ${end} of ${count} entries, ${rates.at(-1)}/s`);
  }
  return rates;
}
