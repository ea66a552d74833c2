import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Mark } from '../components/icon.js';
import { Disclosure } from './disclosure.js';
import { Reader, type ApiDocument, type Group, type Operation } from './document.js';
import { Errors } from './errors.js';
import { FirstSteps } from './first-steps.js';
import { Markdown } from './markdown.js';
import { OperationItem } from './operation.js';
import { productOf, type Product } from './product.js';
import { open, opened, toggle } from './state.js';

const BASICS = 'basics';
const EVENTS = 'webhook-events';
const ERRORS = 'error-codes';

export function App({ document }: { document: ApiDocument }) {
  const reader = useMemo(() => new Reader(document), [document]);
  const groups = useMemo(() => reader.groups(), [reader]);
  const product = useMemo(() => productOf(groups), [groups]);
  const events: Group = useMemo(
    () => ({ id: EVENTS, name: 'Webhook events', description: '', operations: reader.events() }),
    [reader],
  );
  const all = useMemo(() => [...groups, events], [groups, events]);
  const [query, setQuery] = useState('');
  useEffect(() => {
    const follow = () => goTo(location.hash.slice(1), all);
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [all]);
  return (
    <div class="docs">
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <Sidebar groups={all} query={query} onQuery={setQuery} />
      <main class="docs-content" id="content" tabIndex={-1}>
        <h1>{document.info.title}</h1>
        {query.trim() === '' ? (
          <>
            <FirstSteps product={product} />
            <Section id={BASICS} name="How the API works">
              {() => <Markdown text={document.info.description ?? ''} />}
            </Section>
            {all.map((group) => (
              <GroupSection key={group.id} reader={reader} group={group} product={product} />
            ))}
            <Section id={ERRORS} name="Error codes">
              {() => <Errors document={document} />}
            </Section>
          </>
        ) : (
          <Found groups={all} query={query} reader={reader} product={product} />
        )}
      </main>
    </div>
  );
}

/** Opens what an address names, and takes the keyboard there. */
function goTo(id: string, groups: Group[]): void {
  if (id === '') return;
  const group = groups.find((each) => each.operations.some((operation) => operation.id === id));
  if (id !== 'start' && id !== 'content') open(id, ...(group ? [group.id] : []));
  // The next frame shows what has been opened.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const target = globalThis.document.getElementById(id);
      target?.scrollIntoView();
      target?.focus({ preventScroll: true });
    }),
  );
}

interface SidebarProps {
  groups: Group[];
  query: string;
  onQuery: (query: string) => void;
}

function Sidebar({ groups, query, onQuery }: SidebarProps) {
  const links = [
    ['start', 'First steps'],
    [BASICS, 'How the API works'],
    ...groups.map(({ id, name }) => [id, name]),
    [ERRORS, 'Error codes'],
  ] as [string, string][];
  return (
    <header class="docs-side">
      <a class="brand" href="/docs/">
        <Mark />
        <span>Waymark API</span>
      </a>
      <div class="field" role="search">
        <label for="search">Search operations</label>
        <input
          id="search"
          type="search"
          class="input"
          value={query}
          onInput={(event) => onQuery(event.currentTarget.value)}
        />
      </div>
      <nav class="nav" aria-label="Groups">
        {links.map(([id, name]) => (
          <a
            href={`#${id}`}
            onClick={() => {
              onQuery('');
              goTo(id, groups);
            }}
          >
            {name}
          </a>
        ))}
      </nav>
    </header>
  );
}

interface SectionProps {
  id: string;
  name: string;
  /** How much there is in it. */
  extent?: string;
  children: () => ComponentChildren;
}

function Section({ id, name, extent, children }: SectionProps) {
  return (
    <Disclosure
      id={id}
      level={2}
      class="panel group"
      isOpen={opened.value.has(id)}
      onToggle={() => toggle(id)}
      label={
        <>
          <span class="name">{name}</span>
          {extent && <span class="muted">{extent}</span>}
        </>
      }
    >
      {children}
    </Disclosure>
  );
}

interface GroupProps {
  reader: Reader;
  group: Group;
  product: Product;
}

function GroupSection({ group, ...common }: GroupProps) {
  const { id, name, description, operations } = group;
  const noun = id === EVENTS ? 'events' : operations.length === 1 ? 'operation' : 'operations';
  return (
    <Section id={id} name={name} extent={`${operations.length} ${noun}`}>
      {() => (
        <>
          {description && <Markdown text={description} />}
          <Operations operations={operations} {...common} isEvents={id === EVENTS} />
        </>
      )}
    </Section>
  );
}

interface OperationsProps {
  reader: Reader;
  product: Product;
  operations: Operation[];
  isEvents: boolean;
}

function Operations({ operations, reader, product, isEvents }: OperationsProps) {
  return operations.map((operation) => (
    <OperationItem
      key={operation.id}
      reader={reader}
      operation={operation}
      client={isEvents ? undefined : product.client}
    />
  ));
}

function Found({ groups, query, ...common }: { groups: Group[]; query: string; reader: Reader; product: Product }) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = groups
    .map((group) => ({ ...group, operations: group.operations.filter((operation) => matches(operation, words)) }))
    .filter(({ operations }) => operations.length > 0);
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0);
  return (
    <>
      <p role="status" class="muted">
        {count === 0 ? 'Nothing matches.' : `${count} ${count === 1 ? 'match' : 'matches'}`}
      </p>
      {found.map(({ id, name, operations }) => (
        <section class="panel group" key={id}>
          <h2 class="found">{name}</h2>
          <Operations operations={operations} {...common} isEvents={id === EVENTS} />
        </section>
      ))}
    </>
  );
}

function matches({ id, method, path, summary, description }: Operation, words: string[]): boolean {
  const text = [id, method, path, summary, description].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}
