/** Shares out a number of places: no holder has more than its share, so one visitor cannot keep the others waiting. */
export class SharedPlaces {
  private readonly takenBy = new Map<string, number>();
  private takenCount = 0;

  constructor(
    private readonly placesMax: number,
    private readonly shareMax: number,
  ) {}

  /** @param holder `null` where it is not known; it has no share. @returns whether there was a place, to be released */
  acquire(holder: string | null): boolean {
    if (this.takenCount >= this.placesMax) return false;
    if (holder !== null) {
      const held = this.takenBy.get(holder) ?? 0;
      if (held >= this.shareMax) return false;
      this.takenBy.set(holder, held + 1);
    }
    this.takenCount += 1;
    return true;
  }

  release(holder: string | null): void {
    this.takenCount -= 1;
    if (holder === null) return;
    const held = this.takenBy.get(holder)!;
    if (held > 1) this.takenBy.set(holder, held - 1);
    else this.takenBy.delete(holder);
  }
}
