import { AsyncLocalStorage } from 'node:async_hooks';

interface Piece {
  work: string;
  /** When it began or progressed last, by `performance.now()`. */
  progressedAt: number;
  parent?: Piece;
}

const current = new AsyncLocalStorage<Piece | undefined>();

/**
 * Reports that the current piece of work continues, however long it takes. Each command that the database has answered
 * does so; work that waits for something else calls it between its steps.
 */
export function reportProgress(): void {
  for (let piece = current.getStore(); piece; piece = piece.parent) piece.progressedAt = performance.now();
}

/**
 * The pieces of work in progress, by kind: transactions, rounds of background work, batches of messages. A piece ends or
 * progresses within seconds. One that does neither is stuck, e.g. waits for a reply that never comes.
 */
export class RunningWork {
  private readonly pieces = new Map<string, Set<Piece>>();

  async run<T>(work: string, run: () => Promise<T>): Promise<T> {
    const pieces = this.piecesOf(work);
    const piece = { work, progressedAt: performance.now(), parent: current.getStore() };
    pieces.add(piece);
    try {
      return await current.run(piece, run);
    } finally {
      pieces.delete(piece);
      reportProgress();
    }
  }

  /** The longest time without progress of a running piece by kind, 0 for a kind of which none runs. */
  get longestSeconds(): Map<string, number> {
    const now = performance.now();
    const longestOf = (pieces: Set<Piece>) =>
      Math.max(0, ...[...pieces].map(({ progressedAt }) => (now - progressedAt) / 1000));
    return new Map([...this.pieces].map(([work, pieces]) => [work, longestOf(pieces)]));
  }

  private piecesOf(work: string): Set<Piece> {
    const known = this.pieces.get(work);
    if (known) return known;
    const pieces = new Set<Piece>();
    this.pieces.set(work, pieces);
    return pieces;
  }
}
