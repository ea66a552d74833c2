interface Waiting<T> {
  item: T;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Writes one by one what comes alone, and together what comes while a write is under way. */
export class GroupCommit<T> {
  private waiting: Waiting<T>[] = [];
  private isWriting = false;

  constructor(private readonly write: (items: T[]) => Promise<void>) {}

  /** Resolves once the item is written. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isWriting) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      try {
        await this.write(group.map(({ item }) => item));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.isWriting = false;
  }
}
