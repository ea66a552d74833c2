import { KeyedSemaphore } from '@waymark/kernel/async/keyed-semaphore';

interface Run {
  key: string;
  signal: AbortSignal | undefined;
}

/** Watches the work that the keyed semaphores of this process are given from now on. @returns the work so far of a key */
export function watchSemaphores(): (key: string) => Run[] {
  const runs: Run[] = [];
  const original = Reflect.get(KeyedSemaphore.prototype, 'run') as (...given: unknown[]) => Promise<never>;
  KeyedSemaphore.prototype.run = function run<T>(
    this: KeyedSemaphore,
    key: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    runs.push({ key, signal });
    return Reflect.apply(original, this, [key, work, signal]);
  };
  return (searched) => runs.filter(({ key }) => key === searched);
}
