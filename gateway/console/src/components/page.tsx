import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { focusLeftLink } from '../app/history-entries.js';
import { visits } from '../app/router.js';
import { t } from '../messages/messages.js';

interface PageProps {
  /** The text of the tab; the title unless given. */
  name?: string;
  title: ComponentChildren;
  beside?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** Whether a field of the page has taken the focus already. */
const hasFocusedField = (): boolean => document.activeElement?.closest('main input') != null;

/** The frame of every page; the focus moves to its heading when the page is visited, or to the link that led away from it. */
export function Page({ name, title, beside, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const text = name ?? (typeof title === 'string' ? title : t.app);
  useEffect(() => void (document.title = `${text} · ${t.app}`), [text]);
  useEffect(() => {
    if (visits.peek() > 0 && !hasFocusedField() && !focusLeftLink()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {beside}
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
