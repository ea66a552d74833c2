export type Progress = (line: string) => void;

/** Prints each step with the seconds since the start. */
export function progressPrinter(): Progress {
  const startedAt = Date.now();
  return (line) => {
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1).padStart(5);
    process.stdout.write(`[${seconds} s] ${line}\n`);
  };
}
