import { unavailable } from '../errors.js';

/** Well below the time that the gateway waits for an answer. */
const WAIT_MAX_MS = 20_000;

/** A use of a budget that others may end. */
export interface EndableUse {
  workspace: string;
  /** Ends the use early; the budget has its amount back at once. */
  end: () => void;
  /** Whether it is ended before others whose caller and workspace have as much. */
  isSlow?: () => boolean;
}

interface Use {
  amount: number;
  caller: string;
  /** The caller and the workspace: a use is ended by what they hold together. */
  owners: readonly string[];
  endable?: EndableUse;
  isHeld: boolean;
}

/**
 * A limited amount of a resource, such as bytes of memory, of which one caller gets at most a share; what it wants beyond
 * that waits for its earlier uses to end. When all of it is
 * used, a use that can be ended takes the place of the oldest one of a caller and workspace that have more, or of a slow one
 * of those that have as much: neither a few callers that never finish, nor the members of one workspace, nor many callers
 * that are slow keep the others out.
 */
export class SharedBudget {
  private used = 0;
  private readonly usedBy = new Map<string, number>();
  /** Oldest first. */
  private readonly endable = new Set<Use>();
  /** Requests for more than the share of a caller, in order. Each returns whether it was granted or refused. */
  private readonly waiting = new Map<string, Set<() => boolean>>();

  constructor(
    private readonly name: string,
    private readonly totalMax: number,
    private readonly callerMax = totalMax,
  ) {}

  /**
   * Takes the amount for this caller, and waits while the caller has its share.
   * @param endable given for a use that may end others of this budget and may be ended by them
   * @returns releases the amount; further calls do nothing
   * @throws AppError `service_unavailable` beyond the total, or when the wait takes too long
   */
  async acquire(amount: number, caller: string, endable?: EndableUse): Promise<() => void> {
    if (!this.waiting.has(caller) && !this.exceedsShare(amount, caller)) return this.reserve(amount, caller, endable);
    return new Promise((resolve, reject) => {
      const line = this.waiting.get(caller) ?? new Set();
      const leave = () => {
        clearTimeout(timer);
        line.delete(start);
        if (line.size === 0) this.waiting.delete(caller);
      };
      const start = () => {
        if (this.exceedsShare(amount, caller)) return false;
        leave();
        resolve(new Promise((grant) => grant(this.reserve(amount, caller, endable))));
        return true;
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.refusal());
      }, WAIT_MAX_MS);
      this.waiting.set(caller, line.add(start));
    });
  }

  /**
   * As `acquire`, without waiting.
   * @throws AppError `service_unavailable` beyond the caller's share or the total
   */
  reserve(amount: number, caller: string, endable?: EndableUse): () => void {
    if (this.exceedsShare(amount, caller)) throw this.refusal();
    const owners = [`caller ${caller}`, ...(endable ? [`workspace ${endable.workspace}`] : [])];
    const use: Use = { amount, caller, owners, endable, isHeld: true };
    if (this.used > 0 && this.used + amount > this.totalMax) this.makeRoomFor(use);
    this.add(amount, caller);
    if (endable) this.endable.add(use);
    return () => this.release(use);
  }

  /** Ends no use when all that have more than the newcomer, or are slow, do not make enough room. */
  private makeRoomFor(newcomer: Use): void {
    // The newcomer comes first, so it is refused when no other has more and none with as much is slow.
    const rest = new Set(newcomer.endable ? [newcomer, ...this.endable] : [newcomer]);
    const amounts = new Map<string, number>();
    for (const use of rest) addToOwners(amounts, use, use.amount);
    const ended: Use[] = [];
    for (let excess = this.used + newcomer.amount - this.totalMax; excess > 0;) {
      const largest = largestOf(rest, amounts);
      if (largest === newcomer) throw this.refusal();
      rest.delete(largest);
      addToOwners(amounts, largest, -largest.amount);
      ended.push(largest);
      excess -= largest.amount;
    }
    for (const use of ended) {
      this.release(use);
      use.endable!.end();
    }
  }

  private release(use: Use): void {
    if (!use.isHeld) return;
    use.isHeld = false;
    this.endable.delete(use);
    this.add(-use.amount, use.caller);
    // Afterwards: the amount may be for a newcomer that ended this use.
    queueMicrotask(() => this.startWaiting(use.caller));
  }

  private startWaiting(caller: string): void {
    for (const start of this.waiting.get(caller) ?? []) if (!start()) return;
  }

  /** A caller with nothing may take any amount. */
  private exceedsShare(amount: number, caller: string): boolean {
    const ofCaller = this.usedBy.get(caller) ?? 0;
    return ofCaller > 0 && ofCaller + amount > this.callerMax;
  }

  private refusal(): Error {
    return unavailable(new Error(`too many ${this.name}`));
  }

  private add(amount: number, caller: string): void {
    this.used += amount;
    const ofCaller = (this.usedBy.get(caller) ?? 0) + amount;
    if (ofCaller === 0) this.usedBy.delete(caller);
    else this.usedBy.set(caller, ofCaller);
  }
}

/** Returns the first of the uses whose caller and workspace together have most, of those the first slow one if there is any. */
function largestOf(uses: ReadonlySet<Use>, amounts: ReadonlyMap<string, number>): Use {
  let largest: Use[] = [];
  let largestShare = -Infinity;
  for (const use of uses) {
    const share = use.owners.reduce((sum, owner) => sum + amounts.get(owner)!, 0);
    if (share > largestShare) [largest, largestShare] = [[], share];
    if (share === largestShare) largest.push(use);
  }
  return largest.find(({ endable }) => endable?.isSlow?.()) ?? largest[0]!;
}

function addToOwners(amounts: Map<string, number>, { owners }: Use, amount: number): void {
  for (const owner of owners) amounts.set(owner, (amounts.get(owner) ?? 0) + amount);
}
