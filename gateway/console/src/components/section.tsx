import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from './icon.js';

interface SectionProps {
  title: string;
  /** Beside the title: says in short what the part holds. */
  summary: ComponentChildren;
  /** Whether it has a problem or an unsaved change, which must not be out of sight. */
  isNeeded: boolean;
  children: ComponentChildren;
}

/** A part of a form that is closed at first. */
export function Section({ title, summary, isNeeded, children }: SectionProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="section" open={isOpen || isNeeded} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="right" />
        <strong>{title}</strong>
        {summary}
      </summary>
      <div class="panel-body form-grid">{children}</div>
    </details>
  );
}
