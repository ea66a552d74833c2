/** How long a page may take to become as long as it was. */
const RESTORE_MS = 5000;
const ENTRIES_MAX = 50;

/** How an entry of the browser's history was left. */
interface Left {
  scroll: number;
  /** The address of the link that had the focus. */
  link: string | undefined;
}
interface EntryState {
  id: number;
  /** Its place among the entries of the console. */
  place: number;
}

const left = new Map<number, Left>();
let lastId = Date.now();
let current: number;
let place = 0;
let endRestoring: () => void = () => undefined;

/** The id of the current entry: Back and Forward return to the same one. */
export const entryId = (): number => current;

export const newEntryState = (): EntryState => ({ id: (lastId += 1), place: place + 1 });

/** How far the browser has moved from the current entry; a link to a part of a page has made the next one. */
export const stepsMoved = (): number => ((history.state as EntryState | null)?.place ?? place + 1) - place;

/** Called before another entry becomes the current one. */
export function leaveEntry(): void {
  endRestoring();
  // The browser would scroll before the page shows its data.
  history.scrollRestoration = 'manual';
  left.delete(current);
  left.set(current, {
    scroll: scrollY,
    link: document.activeElement?.closest('main a')?.getAttribute('href') ?? undefined,
  });
  for (const id of left.keys()) if (left.size > ENTRIES_MAX) left.delete(id);
}

/** Called when the browser has moved to an entry, by `history.state`; a link to a part of a page makes one without an id. */
export function enterEntry(): void {
  const state = history.state as EntryState | null;
  if (!state?.id) history.replaceState(newEntryState(), '');
  ({ id: current, place } = history.state as EntryState);
}

/** Scrolls to where the entry was left. */
export function restoreScroll(): void {
  const scroll = left.get(current)?.scroll;
  if (scroll !== undefined) keepScrolling(scroll);
}

/** Focuses the link that led away from the entry; false if there is none. */
export function focusLeftLink(): boolean {
  const address = left.get(current)?.link;
  const links = address === undefined ? [] : document.querySelectorAll<HTMLAnchorElement>('main a');
  const link = [...links].find((each) => each.getAttribute('href') === address);
  link?.focus({ preventScroll: true });
  return link !== undefined;
}

/** Scrolls as soon as the page is long enough, unless the user scrolls first. */
function keepScrolling(scroll: number): void {
  const observer = new ResizeObserver(() => {
    scrollTo(0, scroll);
    if (Math.abs(scrollY - scroll) < 1) endRestoring();
  });
  const timer = setTimeout(() => endRestoring(), RESTORE_MS);
  const inputs = ['wheel', 'touchstart', 'pointerdown', 'keydown'];
  endRestoring = () => {
    observer.disconnect();
    clearTimeout(timer);
    for (const name of inputs) removeEventListener(name, endRestoring);
    endRestoring = () => undefined;
  };
  for (const name of inputs) addEventListener(name, endRestoring, { passive: true });
  observer.observe(document.body);
}

enterEntry();
