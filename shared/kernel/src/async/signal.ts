/** Ends a wait early. A notification without a waiter is kept for the next wait. */
export class Signal {
  private isNotified = false;
  private wakeUp?: () => void;

  notify(): void {
    this.isNotified = true;
    this.wakeUp?.();
  }

  /** Resolves at the next notification, or after this time. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.isNotified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.isNotified = false;
    this.wakeUp = undefined;
  }
}
