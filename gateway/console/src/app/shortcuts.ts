import { signal } from '@preact/signals';
import { contentRoute } from '../config/config.js';
import { navigate, segments } from './router.js';
import { can, isEnded, pageOf, user } from './session.js';
import { leave } from './unsaved.js';

/** Whether the list of the shortcuts is shown. */
export const areShown = signal(false);
/** Whether the field for a new link is to get the focus when it appears. */
export const wantsCreateField = signal(false);

/** People who dictate or use a switch press single keys unintentionally: they can switch these off (WCAG 2.1.4). */
const KEY = 'waymark.shortcuts';

export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

export function switchShortcuts(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, 'off');
  } catch {
    // A browser without storage keeps them on.
  }
}

const actions: Record<string, () => void> = {
  '?': () => (areShown.value = true),
  '/': () => document.querySelector<HTMLElement>('main input[type=search]')?.focus(),
  c: () => {
    if (!can(contentRoute('create'))) return;
    wantsCreateField.value = true;
    if (segments.value.slice(2).join('/') !== 'links') leave(() => navigate(pageOf('links')));
  },
};

addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey, defaultPrevented, target } = event;
  const action = Object.hasOwn(actions, key) ? actions[key] : undefined;
  if (!action || ctrlKey || metaKey || altKey || defaultPrevented || !user.value || isEnded.value) return;
  const isTyping = (target as Element).closest?.('input, textarea, select, [role=menu]') !== null;
  if (isTyping || document.querySelector('dialog[open]') || !areShortcutsOn()) return;
  event.preventDefault();
  action();
});
