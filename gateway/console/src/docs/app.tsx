import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Disclosure } from './disclosure.js';
import { Reader, type ApiDocument, type Group, type Operation } from './document.js';
import { Errors } from './errors.js';
import { ExampleMaker } from './example.js';
import { FirstSteps } from './first-steps.js';
import { Found } from './found.js';
import { anchorOf, Markdown, sectionsOf } from './markdown.js';
import { OperationItem } from './operation.js';
import { productOf, type Product } from './product.js';
import { CLIENT_PATH } from './samples.js';
import { BASIC, BASICS, BASICS_NAME, ERROR, ERRORS, EVENTS, PROBLEM, PROBLEMS, WEBHOOKS } from './sections.js';
import { Sidebar, type SideLink } from './sidebar.js';
import { open, opened, toggle } from './state.js';
import { VERIFY, VerifyWebhook } from './verify-webhook.js';

const EVENTS_TEXT = 'What your endpoints receive. [Verify each request](#verify-webhooks) before you trust it.';

export function App({ document }: { document: ApiDocument }) {
  const reader = useMemo(() => new Reader(document), [document]);
  const groups = useMemo(() => reader.groups(), [reader]);
  const product = useMemo(() => productOf(groups), [groups]);
  const events: Group = useMemo(
    () => ({ id: EVENTS, name: 'Webhook events', description: EVENTS_TEXT, operations: reader.events() }),
    [reader],
  );
  const all = useMemo(() => [...groups, events], [groups, events]);
  const maker = useMemo(() => new ExampleMaker(reader, document), [reader, document]);
  const [query, setQuery] = useState('');
  const description = document.info.description ?? '';
  const go = (id: string) => {
    // The link that skips the navigation leads to what a search has found, too.
    if (id !== 'content') setQuery('');
    goTo(id, all);
  };
  useEffect(() => {
    const follow = () => go(location.hash.slice(1));
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [all]);
  return (
    <div class="docs">
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <Sidebar links={linksOf(all, description)} query={query} onQuery={setQuery} onGo={go} />
      <main class="docs-content" id="content" tabIndex={-1}>
        <h1>{document.info.title}</h1>
        {query.trim() === '' ? (
          <>
            <Downloads />
            <FirstSteps product={product} />
            <Section id={BASICS} name={BASICS_NAME}>
              {() => <Markdown text={description} anchor={BASIC} />}
            </Section>
            {all.map((group) => (
              <GroupSection key={group.id} reader={reader} group={group} product={product} maker={maker} />
            ))}
            <Section id={ERRORS} name="Error codes">
              {() => <Errors document={document} />}
            </Section>
          </>
        ) : (
          <Found
            query={query}
            document={document}
            reader={reader}
            groups={all}
            product={product}
            maker={maker}
            onGo={go}
          />
        )}
      </main>
    </div>
  );
}

/** Opens what an address names, and takes the keyboard there. */
function goTo(id: string, groups: Group[]): void {
  if (id === '') return;
  const section = sectionWith(id, groups);
  if (id !== 'start' && id !== 'content') open(id, ...(section ? [section] : []));
  // The next frame shows what has been opened.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const target = globalThis.document.getElementById(id);
      target?.scrollIntoView();
      target?.focus({ preventScroll: true });
    }),
  );
}

/** Returns the section that has an anchor. */
function sectionWith(id: string, groups: Group[]): string | undefined {
  if (id === VERIFY) return WEBHOOKS;
  if (id.startsWith(BASIC)) return BASICS;
  if (id === PROBLEMS || id.startsWith(ERROR) || id.startsWith(PROBLEM)) return ERRORS;
  return groups.find((each) => each.operations.some((operation) => operation.id === id))?.id;
}

function linksOf(groups: Group[], description: string): SideLink[] {
  const basics = sectionsOf(description).filter(({ name }) => name !== '');
  return [
    { id: 'start', name: 'First steps' },
    { id: BASICS, name: BASICS_NAME, inner: basics.map(({ name }) => ({ id: anchorOf(BASIC, name), name })) },
    ...groups.map(({ id, name }) => ({ id, name })),
    { id: ERRORS, name: 'Error codes' },
  ];
}

/** What programs read in place of this page. */
function Downloads() {
  return (
    <p class="muted" id="downloads" tabIndex={-1}>
      <a href="/api/v1/openapi.json">OpenAPI document</a> (
      <a href="/api/v1/openapi.json?deprecated=true">with deprecated routes</a>) ·{' '}
      <a href={CLIENT_PATH}>TypeScript client</a>
    </p>
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
  maker: ExampleMaker;
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
          {id === WEBHOOKS && <VerifyWebhook type={common.product.event} />}
          <Operations operations={operations} {...common} isEvents={id === EVENTS} />
        </>
      )}
    </Section>
  );
}

interface OperationsProps {
  maker: ExampleMaker;
  reader: Reader;
  product: Product;
  operations: Operation[];
  isEvents: boolean;
}

function Operations({ operations, product, isEvents, ...common }: OperationsProps) {
  return operations.map((operation) => (
    <OperationItem
      key={operation.id}
      {...common}
      operation={operation}
      client={isEvents ? undefined : product.client}
    />
  ));
}
