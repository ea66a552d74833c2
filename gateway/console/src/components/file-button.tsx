import type { ComponentChildren, RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.js';

interface FileButtonProps {
  /** What the file is. */
  label: string;
  accept: string;
  icon: IconName;
  class?: string;
  isBusy?: boolean;
  describedBy?: string;
  buttonRef?: RefObject<HTMLButtonElement | null>;
  onChoose: (file: File) => void;
  children: ComponentChildren;
}

/** Opens the dialog of the browser that chooses a file. */
export function FileButton({
  label,
  accept,
  icon,
  isBusy,
  describedBy,
  buttonRef,
  onChoose,
  children,
  ...button
}: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        ref={buttonRef}
        type="button"
        class={button.class ?? 'button'}
        aria-disabled={isBusy}
        aria-describedby={describedBy}
        onClick={() => !isBusy && input.current!.click()}
      >
        <Icon name={icon} />
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // Choosing the same file again, after it was corrected, is another choice.
          event.currentTarget.value = '';
          if (file) onChoose(file);
        }}
      />
    </>
  );
}
