import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AttackTarget } from './attacks.js';

export interface AttackResult {
  sent: number;
  /** Not sent, because too many were open already. */
  skipped: number;
  statuses: Record<string, number>;
}

/** The parent's side of `attacker.ts`. */
export class AttackerProcess {
  private readonly child: ChildProcess = fork(join(__dirname, 'attacker.js'), { stdio: 'inherit' });

  start(attack: string, target: AttackTarget): void {
    this.child.send({ start: attack, target });
  }

  async stop(): Promise<AttackResult> {
    const result = once(this.child, 'message');
    this.child.send({ stop: true });
    const [message] = (await result) as [AttackResult];
    return message;
  }

  end(): void {
    this.child.disconnect();
  }
}
