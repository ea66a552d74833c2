export type Progress = (line: string) => void;

/** Prints each step with the seconds since the start. */
export function progressPrinter(): Progress {
  const startedAt = Date.now();
  return (line) => {
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1).padStart(5);
    process.stdout.write(`[${seconds} s] ${line}\n`);
  };
}

const SPARSE_MS = 2000;

/** Passes a line on if none was passed on in the last two seconds. */
export function sparse(progress: Progress): Progress {
  let passedAt = Date.now();
  return (line) => {
    if (Date.now() - passedAt < SPARSE_MS) return;
    passedAt = Date.now();
    progress(line);
  };
}
