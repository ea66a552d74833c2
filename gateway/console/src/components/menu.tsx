import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';
import { Icon, type IconName } from './icon.js';
import { usePopup } from './popup.js';

interface MenuProps {
  /** The name of the button for people who do not see it; its text if absent. */
  label?: string;
  button: ComponentChildren;
  class?: string;
  align?: 'start' | 'end' | 'end up' | 'up';
  onOpen?: () => void;
  children: ComponentChildren;
}

/** A button that opens a list of actions: arrow keys move, Escape closes and returns the focus. */
export function Menu({ label, button, class: className = 'button', align = 'start', onOpen, children }: MenuProps) {
  const { isOpen, setOpen, close, anchor, trigger } = usePopup();
  const id = useId();
  const items = () => [...(anchor.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];

  // At once: a key that is pressed in the same frame must not reach another item.
  useLayoutEffect(() => {
    if (isOpen) items()[0]?.focus();
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    const all = items();
    const index = all.indexOf(document.activeElement as HTMLElement);
    const targets: Record<string, number> = {
      ArrowDown: (index + 1) % all.length,
      ArrowUp: (index - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    if (event.key === 'Escape') close();
    else if (event.key in targets) all[targets[event.key]!]?.focus();
    else if (!focusNextOf(all, index, event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const toggle = () => {
    if (!isOpen) onOpen?.();
    setOpen(!isOpen);
  };
  return (
    <div class="anchor" ref={anchor} onKeyDown={onKeyDown}>
      <button
        ref={trigger}
        type="button"
        class={className}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={label}
        title={label}
        onClick={toggle}
      >
        {button}
      </button>
      {isOpen && (
        <div
          id={id}
          class={`menu ${align}`}
          role="menu"
          aria-label={label}
          onClick={(event) => {
            if ((event.target as Element).closest('[role^=menuitem]:not([role=menuitemcheckbox])')) close();
          }}
        >
          {children}
        </div>
      )}
    </div>
  );
}

/** Focuses the next item that starts with the typed letter. */
function focusNextOf(items: HTMLElement[], index: number, { key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return false;
  const inOrder = [...items.slice(index + 1), ...items.slice(0, index + 1)];
  const starts = (item: HTMLElement) => item.innerText.trim().toLocaleLowerCase().startsWith(key.toLocaleLowerCase());
  inOrder.find(starts)?.focus();
  return true;
}

interface ItemProps {
  icon?: IconName;
  href?: string;
  isChecked?: boolean;
  /** Several items can be checked at a time, and the menu stays open. */
  isMultiple?: boolean;
  isDanger?: boolean;
  onSelect?: () => void;
  children: ComponentChildren;
}

export function MenuItem({ icon, href, isChecked, isMultiple, isDanger, onSelect, children }: ItemProps) {
  const content = (
    <>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
      {isChecked && <Icon name="check" />}
    </>
  );
  const className = isDanger ? 'danger' : undefined;
  if (href !== undefined) {
    return (
      <a role="menuitem" tabIndex={-1} href={href} class={className}>
        {content}
      </a>
    );
  }
  const kind = isMultiple ? 'menuitemcheckbox' : 'menuitemradio';
  return (
    <button
      type="button"
      role={isChecked === undefined ? 'menuitem' : kind}
      aria-checked={isChecked}
      tabIndex={-1}
      class={className}
      onClick={onSelect}
    >
      {content}
    </button>
  );
}
