import { fork } from 'node:child_process';

/** Hands the load to a generator in a process of its own, and waits for what it reports. */
export function runGenerator<Load extends object, Result>(script: string, load: Load): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = fork(script);
    child.once('message', (result) => resolve(result as Result));
    child.once('exit', (code) => reject(new Error(`the load generator ended early (${code})`)));
    child.send(load);
  });
}
