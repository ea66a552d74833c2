import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Opens and closes a list beside its button: it closes when the user clicks, or moves the focus, outside of `anchor`. */
export function usePopup() {
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!isOpen) return;
    const closeOutside = ({ target }: Event) => {
      if (!anchor.current?.contains(target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', closeOutside);
    addEventListener('focusin', closeOutside);
    return () => {
      removeEventListener('pointerdown', closeOutside);
      removeEventListener('focusin', closeOutside);
    };
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    trigger.current?.focus();
  };
  return { isOpen, setOpen, close, anchor, trigger };
}
