import { withoutScheme } from '../format/format.js';
import { t } from '../messages/messages.js';
import { showToast } from './toast.js';

/** Returns whether the browser allowed it; some do only right after a key or a click. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies and says so. */
export async function copyAndTell(text: string): Promise<void> {
  const isCopied = await copyText(text);
  showToast({ text: isCopied ? `${withoutScheme(text)} · ${t.copied}` : text });
}
