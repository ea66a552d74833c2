import type { ComponentChildren } from 'preact';
import { Icon } from '../components/icon.js';

interface DisclosureProps {
  id: string;
  isOpen: boolean;
  onToggle: () => void;
  /** The level of its heading; without one it is a part of a text. */
  level?: 2 | 3;
  label: ComponentChildren;
  class?: string;
  /** Called only while it is open: the whole reference would be thousands of elements. */
  children: () => ComponentChildren;
}

export function Disclosure({ id, isOpen, onToggle, level, label, children, ...rest }: DisclosureProps) {
  const Heading = level === undefined ? 'div' : (`h${level}` as const);
  return (
    <div class={`disclosure ${rest.class ?? ''}`} data-open={isOpen || undefined}>
      <Heading class="disclosure-head">
        <button type="button" id={id} aria-expanded={isOpen} onClick={onToggle}>
          <Icon name={isOpen ? 'down' : 'right'} />
          {label}
        </button>
      </Heading>
      {isOpen && <div class="disclosure-body">{children()}</div>}
    </div>
  );
}
