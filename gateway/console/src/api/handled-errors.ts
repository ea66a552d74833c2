/** Errors of the program that a part of the page already shows. */
export const handledErrors = new WeakSet<object>();

/** Reports an error to whoever debugs the page; the caller shows it to the user. */
export function reportHandled(error: unknown): void {
  if (typeof error === 'object' && error !== null) handledErrors.add(error);
  reportError(error);
}
