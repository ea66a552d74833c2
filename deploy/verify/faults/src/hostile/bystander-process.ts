import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BystanderTarget, Qualities } from './bystanders.js';

export interface Measurement {
  target: BystanderTarget;
  forMs: number;
}

/** The parent's side of `bystander.ts`. */
export class BystanderProcess {
  private readonly child: ChildProcess = fork(join(__dirname, 'bystander.js'), { stdio: 'inherit' });

  constructor(private readonly target: BystanderTarget) {}

  async measure(forMs: number): Promise<Qualities> {
    const result = once(this.child, 'message');
    this.child.send({ target: this.target, forMs } satisfies Measurement);
    const [qualities] = (await result) as [Qualities];
    return qualities;
  }

  end(): void {
    this.child.disconnect();
  }
}
