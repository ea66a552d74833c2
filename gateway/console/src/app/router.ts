import { computed, signal } from '@preact/signals';
import { enterEntry, leaveEntry, newEntryState, restoreScroll, stepsMoved } from './history-entries.js';
import { leave, unsavedCount } from './unsaved.js';

export const BASE = '/console';

const current = signal(new URL(location.href));
/** Whether the next move of the browser undoes one that lost unsaved changes. */
let isReturning = false;
addEventListener('popstate', () => {
  if (isReturning) {
    isReturning = false;
    return;
  }
  const steps = stepsMoved();
  if (steps !== 0 && isOtherPage(location) && unsavedCount() > 0) {
    // The browser has moved already: it returns until the user has agreed.
    isReturning = true;
    history.go(-steps);
    leave(() => history.go(steps));
    return;
  }
  leaveEntry();
  enterEntry();
  current.value = new URL(location.href);
  restoreScroll();
});

/** The segments of the path below `/console`. */
export const segments = computed(() =>
  current.value.pathname
    .slice(BASE.length)
    .split('/')
    .filter((part) => part !== ''),
);
/** The part of the address behind `#`, which the browser sends to no server. */
export const fragment = computed(() => current.value.hash.slice(1));
export const query = computed(() => current.value.searchParams);

/** Grows with each visit of another page, so that the page can move the focus to its heading. */
export const visits = signal(0);

const isOtherPage = ({ pathname }: { pathname: string }): boolean => pathname !== current.value.pathname;

export function navigate(target: string, { replace = false } = {}): void {
  const url = new URL(target, location.href);
  if (url.href === current.value.href) return;
  const isOther = isOtherPage(url);
  if (replace) history.replaceState(history.state, '', url);
  else {
    leaveEntry();
    history.pushState(newEntryState(), '', url);
    enterEntry();
  }
  current.value = url;
  if (!isOther) return;
  visits.value += 1;
  scrollTo(0, 0);
}

/** Changes parameters of the query; an empty or absent value removes its parameter. */
export function setQuery(changes: Record<string, string | undefined>, options?: { replace?: boolean }): void {
  const url = new URL(current.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  navigate(url.href, options);
}

// Links of the console change the page without loading it again; modified clicks are the browser's.
addEventListener('click', (event) => {
  const link = (event.target as Element).closest?.('a');
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
  if (link.origin !== location.origin || !`${link.pathname}/`.startsWith(`${BASE}/`)) return;
  // A link to a part of the page is the browser's.
  if (link.hash && link.pathname === location.pathname) return;
  event.preventDefault();
  if (isOtherPage(link)) leave(() => navigate(link.href));
  else navigate(link.href);
});
