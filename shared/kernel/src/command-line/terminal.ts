import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError } from './command.js';

/** Far more than any secret has. */
const SECRET_BYTES_MAX = 4096;

/** Thrown when the operator ends a prompt by Ctrl-C or Ctrl-D. */
export class Interrupted extends Error {}

/** True when a person can answer: both ends are a terminal. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** Asks for a secret without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  let isShown = true;
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (isShown) process.stderr.write(chunk);
      done();
    },
  });
  try {
    return await ask(question, output, () => (isShown = false));
  } finally {
    process.stderr.write('\n');
  }
}

export async function askYesOrNo(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `, process.stderr)).trim());
}

function ask(question: string, output: Writable, onAsked?: () => void): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  return new Promise<string>((resolve, reject) => {
    lines.once('close', () => reject(new Interrupted('interrupted')));
    lines.question(question, resolve);
    onAsked?.();
  }).finally(() => lines.close());
}

/** Returns the first line of the standard input. */
export async function readSecret(flag: string): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError(`${flag}-stdin: the standard input is a terminal: use ${flag}-prompt`);
  let size = 0;
  process.stdin.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > SECRET_BYTES_MAX) process.stdin.destroy(new UsageError(`${flag}-stdin: the standard input is too long`));
  });
  const [line = ''] = (await text(process.stdin)).split(/\r?\n/);
  if (line === '') throw new UsageError(`${flag}-stdin: the standard input is empty`);
  return line;
}

/** Tells the operator about the progress of a long command; the result alone goes to the standard output. */
export function writeProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
