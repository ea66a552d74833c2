import { deserialize } from 'bson';
import { specOf, type Command } from './command.js';
import { CommandError } from './errors.js';

const NOT_WRITABLE_PRIMARY = 10107;
/** Commands that a member answers in any state. */
const WITHOUT_PRIMARY: ReadonlySet<string> = new Set(['ping', 'endSessions', 'configureFailPoint', 'setParameter']);

/** Tracks whether this one-member replica set has a primary: it has none for the time given by `replSetStepDown`. */
export class Election {
  private endsAt = 0;

  get hasPrimary(): boolean {
    return Date.now() >= this.endsAt;
  }

  /** `{ replSetStepDown: <seconds>, force: true }` */
  stepDown(command: Command): void {
    const { replSetStepDown: seconds } = deserialize(specOf(command)) as { replSetStepDown: number };
    this.endsAt = Date.now() + seconds * 1000;
  }

  /** @throws CommandError `NotWritablePrimary` during the election */
  check({ name, transaction }: Command): void {
    if (this.hasPrimary || WITHOUT_PRIMARY.has(name)) return;
    const extra = transaction && name !== 'commitTransaction' ? { errorLabels: ['TransientTransactionError'] } : {};
    throw new CommandError({ code: NOT_WRITABLE_PRIMARY, codeName: 'NotWritablePrimary' }, 'not primary', extra);
  }
}
