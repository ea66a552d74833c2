import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';

interface Run {
  key: string;
  signal: AbortSignal | undefined;
}

/** Watches the work that the keyed limits of this process are given from now on. @returns the work so far of a key */
export function watchLimits(): (key: string) => Run[] {
  const runs: Run[] = [];
  const original = Reflect.get(KeyedLimit.prototype, 'run') as (...given: unknown[]) => Promise<never>;
  KeyedLimit.prototype.run = function run<T>(
    this: KeyedLimit,
    key: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    runs.push({ key, signal });
    return Reflect.apply(original, this, [key, work, signal]);
  };
  return (searched) => runs.filter(({ key }) => key === searched);
}
