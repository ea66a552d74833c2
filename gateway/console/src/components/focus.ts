/** As a `ref`: focuses the element when it appears; browsers apply `autofocus` only once for each page that they load. */
export const focusAtOnce = (element: HTMLElement | null): void => element?.focus();

/** Focuses the element if the one that had the focus is gone, so that the keyboard does not start at the top again. */
export function replaceLostFocus(element: HTMLElement | null | undefined): void {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body) element?.focus({ preventScroll: true });
}

export const pageHeading = (): HTMLElement | null => document.querySelector('h1');
