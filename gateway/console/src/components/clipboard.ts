import { withoutScheme } from '../format/format.js';
import { t } from '../messages/messages.js';
import { copyText } from './copy-text.js';
import { showToast } from './toast.js';

/** Copies and says so. */
export async function copyAndTell(text: string): Promise<void> {
  const isCopied = await copyText(text);
  showToast({ text: isCopied ? `${withoutScheme(text)} · ${t.copied}` : text });
}
