import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog; it focuses its element with `data-focus`, and the element that opened it when it closes. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  // Its clean-up runs while the dialog is still a part of the page.
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-focus]')?.focus();
    return () => {
      isGone.current = true;
      // A browser restores the focus when a dialog closes, not when it is removed.
      dialog.close();
    };
  }, []);
  return (
    <dialog class="dialog" ref={element} aria-labelledby={id} onClose={() => !isGone.current && onClose()}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  body: string;
  yes: string;
  no: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be undone; the focus starts on the safe choice. */
export function Confirm({ title, body, yes, no, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{body}</p>
      <footer>
        <button type="button" class="button" data-focus onClick={onClose}>
          {no}
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {yes}
        </button>
      </footer>
    </Dialog>
  );
}
