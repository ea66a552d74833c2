import { handledErrors } from '../api/handled-errors.js';
import { showToast } from '../components/toast.js';
import { t } from '../messages/messages.js';

const tell = (): void =>
  showToast({ text: t.broken.action, action: { label: t.broken.reload, run: () => location.reload() } });

/** Says that an action failed when its handler throws: nothing else on the page would show it. */
export function showUnexpectedErrors(): void {
  addEventListener('error', ({ error, filename }) => {
    // Browsers report some events without an error, and extensions throw in the same page.
    if (error && filename.startsWith(location.origin) && !handledErrors.has(error as object)) tell();
  });
  addEventListener('unhandledrejection', tell);
}
