import { Turnstile } from './turnstile.js';

interface Turns {
  turnstile: Turnstile;
  users: number;
}

/**
 * Lets each key run a few pieces of work at a time, and all keys together some more: one workspace cannot take the places of
 * the others. Work that finds no place waits for its turn.
 */
export class KeyedTurnstile {
  private readonly all: Turnstile;
  private readonly turns = new Map<string, Turns>();

  constructor(private readonly limits: { ofKey: number; waitingOfKey: number; ofAll: number; waitingOfAll: number }) {
    this.all = new Turnstile(limits.ofAll, limits.waitingOfAll);
  }

  /** @throws AppError `service_unavailable` when too many wait already, or for too long */
  async pass<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turns = this.turnsOf(key);
    turns.users += 1;
    try {
      return await turns.turnstile.pass(() => this.all.pass(work));
    } finally {
      turns.users -= 1;
      if (turns.users === 0) this.turns.delete(key);
    }
  }

  private turnsOf(key: string): Turns {
    const known = this.turns.get(key);
    if (known) return known;
    const turns = { turnstile: new Turnstile(this.limits.ofKey, this.limits.waitingOfKey), users: 0 };
    this.turns.set(key, turns);
    return turns;
  }
}
