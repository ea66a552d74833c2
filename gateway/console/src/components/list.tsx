import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Loaded } from '../app/load.js';
import { t } from '../messages/messages.js';
import { replaceLostFocus } from './focus.js';
import { LoadNotice } from './notice.js';

interface ListProps<T> {
  title: string;
  /** The title repeats that of the page or the tab: only screen readers get it. */
  isTitleHidden?: boolean;
  loaded: Loaded<readonly T[]>;
  /** Shown in place of an empty list. */
  empty: ComponentChildren;
  action?: ComponentChildren;
  /** Between the title and the rows, e.g. filters. */
  head?: ComponentChildren;
  foot?: ComponentChildren;
  /** Rows that take the place of the shown ones; then the view and the focus move to the first of them. */
  older?: { text: string; open: () => void } | undefined;
  row: (item: T) => ComponentChildren;
}

/** A panel with one row for each item; its frame is there before the items are. Its title gets the focus of a deleted row. */
export function ListPanel<T>({
  title,
  isTitleHidden = false,
  loaded,
  empty,
  action,
  head,
  foot,
  older,
  row,
}: ListProps<T>) {
  const { data, failure } = loaded;
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const opensOlder = useRef(false);
  const focused = useRef<EventTarget | null>(null);
  useEffect(() => {
    if (opensOlder.current) focusFirst(list.current ?? heading.current);
    else if (focused.current && !(focused.current as Element).isConnected) replaceLostFocus(heading.current);
    opensOlder.current = false;
  }, [data]);
  return (
    <section
      class="panel"
      onFocusIn={({ target }) => (focused.current = target)}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget) focused.current = null;
      }}
    >
      <div class={isTitleHidden ? 'visually-hidden' : 'panel-head'}>
        <h2 tabIndex={-1} ref={heading}>
          {title}
        </h2>
        {action}
      </div>
      {head}
      {failure && <LoadNotice loaded={loaded} />}
      {data === undefined && !failure && <LoadingList />}
      {data?.length === 0 && <div class="none">{empty}</div>}
      {data !== undefined && data.length > 0 && (
        <ul class="rows" ref={list}>
          {data.map(row)}
        </ul>
      )}
      {foot && <div class="panel-foot">{foot}</div>}
      {older && (
        <div class="panel-foot">
          <button
            type="button"
            class="link-button"
            onClick={() => {
              opensOlder.current = true;
              older.open();
            }}
          >
            {older.text}
          </button>
        </div>
      )}
    </section>
  );
}

/** Grey rows of the height that most rows have. */
function LoadingList() {
  return (
    <div class="loading-list" aria-busy="true">
      <span class="visually-hidden">{t.loading}</span>
      {Array.from({ length: 3 }, (_, index) => (
        <div key={index} />
      ))}
    </div>
  );
}

/** Focuses the first row of a list, or what takes its place. */
function focusFirst(element: HTMLElement | null): void {
  const row = element?.querySelector<HTMLElement>(':scope > li') ?? element;
  if (!row) return;
  row.tabIndex = -1;
  row.focus();
}

interface RowProps {
  title: ComponentChildren;
  /** Below the title. */
  text?: ComponentChildren;
  facts?: ComponentChildren;
  actions?: ComponentChildren;
  children?: ComponentChildren;
}

export function Row({ title, text, facts, actions, children }: RowProps) {
  return (
    <li>
      <div class="row-line">
        <div class={facts ? 'row-main' : 'row-main whole'}>
          <div class="row-title">{title}</div>
          {text && <div class="hint">{text}</div>}
        </div>
        {facts && <div class="row-facts">{facts}</div>}
        {actions && <div class="row-actions">{actions}</div>}
      </div>
      {children}
    </li>
  );
}
