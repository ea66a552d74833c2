import type { AttackTarget } from './attacks.js';
import { ChildProgram } from './child-program.js';

export interface AttackResult {
  sent: number;
  /** Not sent, because too many were open already. */
  skipped: number;
  statuses: Record<string, number>;
}

/** The parent's side of `attacker.ts`. */
export class AttackerProcess {
  private readonly program = new ChildProgram('attacker');

  start(attack: string, target: AttackTarget): void {
    this.program.send({ start: attack, target });
  }

  stop(): Promise<AttackResult> {
    return this.program.ask({ stop: true });
  }

  end(): void {
    this.program.end();
  }
}
