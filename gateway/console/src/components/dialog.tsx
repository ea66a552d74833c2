import type { ComponentChildren } from 'preact';
import { effect } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { isEnded } from '../app/session.js';

interface DialogProps {
  title: string;
  onClose: () => void;
  /** What Escape does in place of closing the dialog. */
  onDismiss?: () => void;
  children: ComponentChildren;
}

/**
 * A modal dialog; it focuses its element with `data-focus`, and the element that opened it when it closes. It makes way for
 * the form to sign in while the session has ended.
 */
export function Dialog({ title, onClose, onDismiss = onClose, children }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  const isAway = useRef(false);
  // Its clean-up runs while the dialog is still a part of the page.
  useLayoutEffect(() => {
    const dialog = element.current!;
    const leave = () => {
      isAway.current = true;
      // A browser restores the focus when a dialog closes, not when it is removed.
      dialog.close();
    };
    const show = () => {
      if (!dialog.isConnected) return;
      isAway.current = false;
      dialog.showModal();
      dialog.querySelector<HTMLElement>('[data-focus]')?.focus();
    };
    const stop = effect(() => {
      if (isEnded.value) leave();
      // The page around it is shown again with the next frame.
      else if (isAway.current) requestAnimationFrame(show);
      else show();
    });
    return () => {
      stop();
      leave();
    };
  }, []);
  const dismiss = (event: Event) => {
    event.preventDefault();
    onDismiss();
  };
  return (
    <dialog
      class="dialog"
      ref={element}
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key === 'Escape') dismiss(event);
      }}
      onCancel={dismiss}
      onClose={() => {
        if (isAway.current || element.current!.open) return;
        // Some browsers close a dialog on the second request in any case.
        element.current!.showModal();
        onDismiss();
      }}
    >
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
