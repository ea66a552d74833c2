import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const STALLED_MS = 30_000;

interface Report {
  counts: Record<string, number>;
  /** When the first and the last answered delivery arrived. */
  firstAt: number;
  lastAt: number;
}

export interface Received {
  received: number;
  perSecond: number;
  lastAt: number;
}

/** Controls the receiver's process. */
export class ReceiverControl {
  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(): Promise<ReceiverControl> {
    const child = fork(join(__dirname, 'receiver.js'));
    const { port } = await new Promise<{ port: number }>((resolve) => child.once('message', resolve as () => void));
    return new ReceiverControl(child, port);
  }

  at(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  private report(): Promise<Report> {
    return this.ask('report');
  }

  /** Waits until `expected` deliveries were answered. */
  async received(expected: number): Promise<Received> {
    const askedAt = Date.now();
    for (;;) {
      const { counts, firstAt, lastAt } = await this.report();
      const answered = Object.entries(counts).filter(([path]) => !path.startsWith('/hang'));
      const received = answered.reduce((sum, [, count]) => sum + count, 0);
      const isOver = received >= expected || Date.now() - Math.max(askedAt, lastAt) > STALLED_MS;
      if (isOver) return { received, perSecond: received / ((lastAt - firstAt) / 1000), lastAt };
      await sleep(50);
    }
  }

  reset(): Promise<Report> {
    return this.ask('reset');
  }

  stop(): void {
    this.child.kill();
  }

  private ask(what: 'report' | 'reset'): Promise<Report> {
    return new Promise((resolve) => {
      this.child.once('message', (report) => resolve(report as Report));
      this.child.send(what);
    });
  }
}
