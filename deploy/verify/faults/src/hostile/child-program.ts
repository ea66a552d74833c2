import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** A program of this folder in a process of its own. */
export class ChildProgram {
  private readonly child: ChildProcess;

  constructor(private readonly name: string) {
    this.child = fork(join(__dirname, `${name}.js`), { stdio: 'inherit' });
  }

  send(message: object): void {
    this.child.send(message);
  }

  /**
   * Sends a message and waits for the answer.
   * @throws when the process ends without one
   */
  ask<Answer>(message: object): Promise<Answer> {
    const { child, name } = this;
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`the ${name} has ended (${child.exitCode ?? child.signalCode})`));
      child.once('exit', fail).once('message', (answer) => {
        child.off('exit', fail);
        resolve(answer as Answer);
      });
      child.send(message, (error) => error && fail());
    });
  }

  end(): void {
    this.child.disconnect();
  }
}
