import { effect, signal, untracked, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { asFailure, type Failure } from '../api/failure.js';
import { isEnded } from './session.js';

const RETRY_MS = [2000, 4000, 8000, 15_000, 30_000];
const LATE_PAUSES_MS = [500, 1000, 2000, 4000, 8000, 16_000, 30_000];

/** The time, for countdowns; it runs while something counts down. */
export const now = signal(Date.now());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;
export function useClock(): void {
  useEffect(() => {
    watchers += 1;
    now.value = Date.now();
    timer ??= setInterval(() => (now.value = Date.now()), 1000);
    return () => {
      watchers -= 1;
      if (watchers > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
}

export interface Loaded<T> {
  data: T | undefined;
  failure: Failure | undefined;
  isLoading: boolean;
  /** When the data came. */
  loadedAt: number;
  /** When the next automatic attempt starts; 0 for none. */
  retryAt: number;
}

/**
 * Loads what a page shows, again whenever `key` changes; data of an earlier key stays visible until the new one has
 * come. It retries automatically after a temporary failure, and when the user has signed in again.
 */
export function useLoad<T>(key: string | null, fetchData: () => Promise<T>) {
  const state = useSignal<Loaded<T>>({ data: undefined, failure: undefined, isLoading: true, loadedAt: 0, retryAt: 0 });
  const run = useRef({ generation: 0, attempts: 0, timer: undefined as ReturnType<typeof setTimeout> | undefined });
  const latest = useRef(fetchData);
  latest.current = fetchData;

  const reload = useRef(async (isQuiet = false): Promise<void> => {
    if (isQuiet && isEnded.peek()) return;
    const generation = (run.current.generation += 1);
    clearTimeout(run.current.timer);
    if (!isQuiet) state.value = { ...state.peek(), isLoading: true };
    try {
      const data = await latest.current();
      if (generation !== run.current.generation) return;
      run.current.attempts = 0;
      state.value = { data, failure: undefined, isLoading: false, loadedAt: Date.now(), retryAt: 0 };
    } catch (error) {
      if (generation !== run.current.generation) return;
      const failure = asFailure(error);
      const delay = failure.isTemporary ? retryDelay(failure, run.current.attempts) : 0;
      run.current.attempts += 1;
      state.value = { ...state.peek(), failure, isLoading: false, retryAt: delay && Date.now() + delay };
      if (delay) run.current.timer = setTimeout(() => void reload.current(true), delay);
    }
  });

  useEffect(() => {
    if (key !== null) void reload.current();
    const { current } = run;
    return () => {
      current.generation += 1;
      clearTimeout(current.timer);
    };
  }, [key]);
  useSignInAgain(() => key !== null && void reload.current(true));
  return { state, reload: reload.current };
}

/**
 * Loads again, after growing pauses, while the data that came last is not complete yet.
 * @param key of what is waited for; another one starts with the shortest pause again
 */
export function useReloadWhile(
  isLate: boolean,
  { key, loadedAt }: { key: string; loadedAt: number },
  reload: (isQuiet: boolean) => Promise<void>,
): void {
  const pauses = useRef({ key, used: 0 });
  useEffect(() => {
    if (pauses.current.key !== key) pauses.current = { key, used: 0 };
    const pause = LATE_PAUSES_MS[pauses.current.used];
    if (pause === undefined || !isLate) return;
    const timer = setTimeout(() => {
      pauses.current.used += 1;
      void reload(true);
    }, pause);
    return () => clearTimeout(timer);
  }, [isLate, key, loadedAt]);
}

/** Calls the newest function whenever the user has signed in again. */
function useSignInAgain(run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    let wasEnded = isEnded.peek();
    return effect(() => {
      const isOver = wasEnded && !isEnded.value;
      wasEnded = isEnded.value;
      if (isOver) untracked(latest.current);
    });
  }, []);
}

const retryDelay = (failure: Failure, attempts: number): number =>
  Math.max((failure.retryAfterSeconds ?? 0) * 1000, RETRY_MS[Math.min(attempts, RETRY_MS.length - 1)]!);
