import type { BystanderTarget, Qualities } from './bystanders.js';
import { ChildProgram } from './child-program.js';

export interface Measurement {
  target: BystanderTarget;
  forMs: number;
}

/** The parent's side of `bystander.ts`. */
export class BystanderProcess {
  private readonly program = new ChildProgram('bystander');

  constructor(private readonly target: BystanderTarget) {}

  measure(forMs: number): Promise<Qualities> {
    return this.program.ask({ target: this.target, forMs } satisfies Measurement);
  }

  end(): void {
    this.program.end();
  }
}
