import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

interface Part {
  /** How many changes would be lost. */
  count: () => number;
  /** Whether they are lost only when the browser leaves the console: other pages of it keep them. */
  isKept: boolean;
}

const parts = new Set<Part>();

interface Question {
  count: number;
  discard: () => void;
}

/** Set while the user is asked whether changes may be lost. */
export const question = signal<Question | undefined>(undefined);

/** Runs `discard` at once if it loses no change, otherwise when the user agrees. */
export function discardOrAsk(count: number, discard: () => void): void {
  if (count === 0) discard();
  else question.value = { count, discard };
}

const sumUp = (counted: Iterable<Part>): number => [...counted].reduce((sum, { count }) => sum + count(), 0);

/** The changes that another page of the console would lose. */
export const unsavedCount = (): number => sumUp([...parts].filter(({ isKept }) => !isKept));

/** The user is asked before changes of this part are lost. */
export function useUnsaved(count: () => number, { isKept = false } = {}): void {
  const latest = useRef(count);
  latest.current = count;
  useEffect(() => {
    const part = { count: () => latest.current(), isKept };
    parts.add(part);
    return () => void parts.delete(part);
  }, [isKept]);
}

/** Runs `proceed`, which leaves the page, once no change is lost by that or the user agrees. */
export const leave = (proceed: () => void): void =>
  discardOrAsk(unsavedCount(), () => {
    discardUnsaved();
    proceed();
  });

/** Called when the changes are lost on purpose: the page that has them is left next. */
export const discardUnsaved = (): void => parts.clear();

addEventListener('beforeunload', (event) => {
  if (sumUp(parts) > 0) event.preventDefault();
});
