/** What has ids instead of its text in cells. */
export type Term = Dimension | 'campaign';
export type Words = Partial<Record<Term, (string | null)[]>>;

export const DIMENSIONS = ['country', 'city', 'region', 'device', 'browser', 'os', 'referrer'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Bounds cells and memory whatever visitors send as their referrer. */
const WORDS_MAX = 10_000;
/** What came when there were already that many. */
const OTHER_ID = 0;
const OTHER = 'other';

/** Short numbers for the values and campaigns of one workspace. Only ever grows: an id keeps its meaning. */
export class Vocabulary {
  /** What is new since it was loaded. */
  readonly added: Words = {};
  private readonly ids = new Map<Term, Map<string | null, number>>();

  constructor(known: Words) {
    for (const term of [...DIMENSIONS, 'campaign'] as const) {
      this.ids.set(term, new Map((known[term] ?? []).map((word, index) => [word, index + 1])));
    }
  }

  idOf(term: Term, word: string | null): number {
    const ids = this.ids.get(term)!;
    const known = ids.get(word);
    if (known !== undefined) return known;
    if (ids.size >= WORDS_MAX) return OTHER_ID;
    ids.set(word, ids.size + 1);
    (this.added[term] ??= []).push(word);
    return ids.size;
  }
}

export function wordOf(words: (string | null)[], id: number): string {
  return (id === OTHER_ID ? undefined : words[id - 1]) ?? OTHER;
}
