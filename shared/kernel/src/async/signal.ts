/** A signal that ends a wait early. A ring without a waiter is kept for the next wait. */
export class Bell {
  private rung = false;
  private wakeUp?: () => void;

  ring(): void {
    this.rung = true;
    this.wakeUp?.();
  }

  /** Returns at the next ring, or after this time. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.rung = false;
    this.wakeUp = undefined;
  }
}
