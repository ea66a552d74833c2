import { fork } from 'node:child_process';

const running = new Set<number>();
/** Returns the processes that send load now. */
export const generatorPids = (): number[] => [...running];

/** Runs the load in a generator process, and waits for its report. */
export function runGenerator<Load extends object, Result>(script: string, load: Load): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = fork(script);
    running.add(child.pid!);
    child.once('exit', () => running.delete(child.pid!));
    child.once('message', (result) => resolve(result as Result));
    child.once('exit', (code) => reject(new Error(`the load generator ended early (${code})`)));
    child.send(load);
  });
}
