import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../components/icon.js';
import { forget, token, tokenProblem, enterToken, workspace } from './access.js';
import { Samples } from './code.js';
import type { Operation } from './document.js';
import { Markdown } from './markdown.js';
import { exampleValues, messageOf, send, textOf, withWorkspace, type Result, type Values } from './request.js';
import type { Product } from './product.js';
import { installCommand } from './samples.js';

interface Item {
  id: string;
  short_url: string;
}

/** Leads a newcomer from the token to the first figure of the first link. */
export function FirstSteps({ product }: { product: Product }) {
  const [item, setItem] = useState<Item>();
  const [isOpened, setOpened] = useState(false);
  return (
    <section class="panel first-steps" aria-labelledby="start">
      <div class="panel-head">
        <h2 id="start" tabIndex={-1}>
          First steps
        </h2>
      </div>
      <ol class="panel-body">
        <Step number={1} title="Enter your token" isDone={token.value !== ''}>
          <TokenStep />
        </Step>
        <Step number={2} title={`Make your first ${product.noun}`} isDone={item !== undefined}>
          <CreateStep product={product} onCreated={setItem} />
        </Step>
        <Step number={3} title="Open it" isDone={isOpened}>
          {item === undefined ? (
            <p class="muted">Its short URL appears here.</p>
          ) : (
            <OpenStep key={item.id} product={product} item={item} onOpen={() => setOpened(true)} />
          )}
        </Step>
        <Step number={4} title="See its first figure">
          <Markdown text={product.summary.permission} />
          {!mayRead(product) ? (
            <p>
              Your token acts with the role {workspace.value?.role}, which may not read figures. The scans are counted
              all the same: enter a token of one of the roles above to see them.
            </p>
          ) : item === undefined ? (
            <p class="muted">Its scans appear here, a few seconds after the visit.</p>
          ) : (
            <FigureStep key={item.id} product={product} item={item} />
          )}
        </Step>
      </ol>
    </section>
  );
}

/** The permission of an operation lists the roles in words. */
const mayRead = ({ summary }: Product): boolean =>
  workspace.value === undefined || new RegExp(`\\b${workspace.value.role}\\b`).test(summary.permission);

interface StepProps {
  number: number;
  title: string;
  isDone?: boolean;
  children: ComponentChildren;
}

function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li>
      <span class="number" data-done={isDone || undefined} aria-hidden="true">
        {isDone ? <Icon name="check" /> : number}
      </span>
      <div>
        <h3>
          <span class="visually-hidden">{number}. </span>
          {title}
        </h3>
        {children}
      </div>
    </li>
  );
}

function TokenStep() {
  const [text, setText] = useState('');
  if (token.value !== '') {
    return (
      <p>
        The token is kept in this tab until you close it.{' '}
        {workspace.value && (
          <>
            It is for the workspace <strong>{workspace.value.name}</strong>, with the role {workspace.value.role}.{' '}
          </>
        )}
        <button type="button" class="link-button" onClick={() => forget()}>
          Forget the token
        </button>
      </p>
    );
  }
  return (
    <>
      <p>
        Create one in <a href="/console">the console</a>, under Tokens, or ask the operator of this system. It begins
        with <code>wmk_</code>. A program sends it as <code>Authorization: Bearer wmk_…</code>. A token acts as the user
        who created it, with at most that user's role.
      </p>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault();
          void enterToken(text);
        }}
      >
        <div class="field">
          <label for="token">Access token</label>
          <input
            id="token"
            class="input mono"
            type="password"
            autocomplete="off"
            value={text}
            aria-describedby={tokenProblem.value ? 'token-problem' : undefined}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <button class="button primary">Use this token</button>
      </form>
      <p class="problem" id="token-problem" role="alert">
        {tokenProblem.value}
      </p>
    </>
  );
}

function CreateStep({ product, onCreated }: { product: Product; onCreated: (item: Item) => void }) {
  const [destination, setDestination] = useState('https://example.com/');
  const [problem, setProblem] = useState('');
  const values = valuesOf(product.create, { body: { destination_url: destination } });
  const create = async () => {
    const result = await sendOrFail(product.create, values);
    setProblem(typeof result === 'string' ? result : '');
    if (typeof result !== 'string') onCreated((result.json as { data: Item }).data);
  };
  return (
    <>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <div class="field">
          <label for="destination">Destination</label>
          <input
            id="destination"
            class="input mono"
            value={destination}
            aria-describedby={problem ? 'create-problem' : undefined}
            onInput={(event) => setDestination(event.currentTarget.value)}
          />
        </div>
        <button class="button primary">Create the {product.noun}</button>
      </form>
      <p class="problem" id="create-problem" role="alert">
        {problem}
      </p>
      <p class="muted">
        The button sends this request. For TypeScript, install the client of this system first:{' '}
        <code>{installCommand(location.origin)}</code>
      </p>
      <Samples operation={product.create} values={values} origin={location.origin} client={product.client} />
    </>
  );
}

function OpenStep({ product, item, onOpen }: { product: Product; item: Item; onOpen: () => void }) {
  const [image, setImage] = useState<string>();
  useEffect(() => {
    if (product.image === undefined) return;
    void sendOrFail(product.image, valuesOf(product.image, { parameters: { 'path:id': item.id } })).then((result) =>
      setImage(typeof result === 'string' ? undefined : result.image),
    );
  }, []);
  return (
    <>
      <p>
        <a class="mono" href={item.short_url} target="_blank" rel="noopener noreferrer" onClick={onOpen}>
          {item.short_url}
        </a>
      </p>
      {image !== undefined && (
        <>
          <img class="qr" src={image} alt="The QR code" />
          <p class="muted">Scan it with a phone that reaches this address, or open the link.</p>
        </>
      )}
    </>
  );
}

const REFRESH_MS = 2000;
/** Two minutes: a forgotten page stops asking. */
const ROUNDS_MAX = 60;

/** Asks again and again until the first scan is counted. */
function FigureStep({ product, item }: { product: Product; item: Item }) {
  const [scans, setScans] = useState(0);
  const [problem, setProblem] = useState('');
  const [round, setRound] = useState(0);
  const values = valuesOf(product.summary, { parameters: { [`query:${product.filter}`]: item.id } });
  useEffect(() => {
    if (scans > 0 || round >= ROUNDS_MAX) return;
    let isCurrent = true;
    const timer = setTimeout(() => void refresh(), round === 0 ? 0 : REFRESH_MS);
    const refresh = async () => {
      const result = await sendOrFail(product.summary, values);
      if (!isCurrent) return;
      setProblem(typeof result === 'string' ? result : '');
      if (typeof result !== 'string') setScans((result.json as Summary).data.kpis.total_scans);
      setRound(round + 1);
    };
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [round]);
  return (
    <>
      <p role="status">
        {scans > 0 ? (
          <>
            <strong class="figure">{scans}</strong> {scans === 1 ? 'scan' : 'scans'}. That is your first figure.
          </>
        ) : (
          'No scan yet. Open it in a browser: robots and programs such as curl are not counted.'
        )}
      </p>
      {problem && <p class="problem">{problem}</p>}
      {scans === 0 && round >= ROUNDS_MAX && (
        <p>
          <button type="button" class="button" onClick={() => setRound(0)}>
            Look again
          </button>
        </p>
      )}
      <p class="muted">This page repeats this request until the scan is there:</p>
      <Samples operation={product.summary} values={values} origin={location.origin} client={product.client} />
    </>
  );
}

interface Summary {
  data: { kpis: { total_scans: number } };
}

function valuesOf(
  operation: Operation,
  { parameters, body }: { parameters?: Values['parameters']; body?: object },
): Values {
  const example = exampleValues(operation);
  return withWorkspace(
    { parameters: { ...example.parameters, ...parameters }, body: body ? textOf(body) : '' },
    workspace.value?.slug,
  );
}

/** Returns the answer of a success, or the message of the failure. */
async function sendOrFail(operation: Operation, values: Values): Promise<Result | string> {
  if (token.value === '') return 'Enter your token first.';
  try {
    const result = await send(operation, values, token.value);
    return result.status < 400 ? result : messageOf(result);
  } catch {
    return 'The API cannot be reached. Try again.';
  }
}
