import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

interface Toast {
  text: string;
  action?: { label: string; run: () => void };
}

const VISIBLE_MS = 6000;
const current = signal<Toast | undefined>(undefined);

export const showToast = (toast: Toast): void => void (current.value = toast);

/** One short message at the lower right; it stays while the pointer or the focus is on it. */
export function ToastRegion() {
  const toast = current.value;
  const [isHeld, hold] = useState(false);
  useEffect(() => {
    if (!toast || isHeld) return;
    const timer = setTimeout(() => (current.value = undefined), VISIBLE_MS);
    return () => clearTimeout(timer);
  }, [toast, isHeld]);
  return (
    <div
      role="status"
      onMouseEnter={() => hold(true)}
      onMouseLeave={() => hold(false)}
      onFocusIn={() => hold(true)}
      onFocusOut={() => hold(false)}
    >
      {toast && (
        <div class="toast">
          <span>{toast.text}</span>
          {toast.action && (
            <button
              type="button"
              onClick={() => {
                current.value = undefined;
                hold(false);
                toast.action!.run();
              }}
            >
              {toast.action.label}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
