import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { token } from './access.js';
import { Code } from './code.js';
import type { Operation } from './document.js';
import { addressOf, keyOf, send, type Result, type Values } from './request.js';

interface TryItProps {
  operation: Operation;
  values: Values;
  onChange: (values: Values) => void;
}

/** A form that really sends the request, with the token of the tab. */
export function TryIt({ operation, values, onChange }: TryItProps) {
  const [result, setResult] = useState<Result | string>();
  const [isSending, setSending] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const needsToken = operation.access === 'token' && token.value === '';
  const run = async () => {
    setAsking(false);
    const missing = operation.parameters
      .filter(({ required }) => required)
      .find((each) => !values.parameters[keyOf(each)]);
    if (missing) return setResult(`Fill in ${missing.name}.`);
    setSending(true);
    setResult(await send(operation, values, token.value).catch(() => 'The API cannot be reached. Try again.'));
    setSending(false);
  };
  return (
    <form
      class="try-it"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (operation.method === 'DELETE') setAsking(true);
        else void run();
      }}
    >
      <h4>Try it</h4>
      {operation.parameters.map((parameter) => (
        <Input
          key={keyOf(parameter)}
          label={`${parameter.name}${parameter.required ? ' (required)' : ''}`}
          value={values.parameters[keyOf(parameter)] ?? ''}
          onInput={(text) => onChange({ ...values, parameters: { ...values.parameters, [keyOf(parameter)]: text } })}
        />
      ))}
      {operation.body && (
        <Input label="Body" isLong value={values.body} onInput={(body) => onChange({ ...values, body })} />
      )}
      {needsToken ? (
        <p class="notice info">
          <span class="text">
            Enter your token in <a href="#start">First steps</a> to send it.
          </span>
        </p>
      ) : (
        <button class="button primary" aria-disabled={isSending}>
          Send {operation.method}
        </button>
      )}
      {isAsking && (
        <Confirm
          text={`${operation.method} ${addressOf(operation, values)}`}
          onConfirm={() => void run()}
          onCancel={() => setAsking(false)}
        />
      )}
      <div role="status">{result !== undefined && <Shown result={result} summary={operation.summary} />}</div>
    </form>
  );
}

interface InputProps {
  label: string;
  value: string;
  isLong?: boolean;
  onInput: (text: string) => void;
}

function Input({ label, value, isLong, onInput }: InputProps) {
  const id = useId();
  const common = { id, value, class: 'input mono', spellcheck: false, autocomplete: 'off' };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isLong ? (
        <textarea
          {...common}
          rows={Math.min(14, value.split('\n').length + 1)}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      ) : (
        <input {...common} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
    </div>
  );
}

function Shown({ result, summary }: { result: Result | string; summary: string }) {
  if (typeof result === 'string') return <p class="notice danger">{result}</p>;
  const { status, statusText, headers, text, image } = result;
  const isSuccess = status < 400;
  return (
    <div class="result">
      <p class={`notice ${isSuccess ? 'ok' : 'danger'}`}>
        <strong>
          {status} {statusText}
        </strong>
      </p>
      <dl>
        {headers.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd class="mono">{value}</dd>
          </>
        ))}
      </dl>
      {image !== undefined && <img src={image} alt={`The answer: ${summary}`} />}
      {text !== '' && <Code label={`Answer: ${summary}`} head="Body" text={text} />}
    </div>
  );
}

/** Asks before something is deleted. */
function Confirm({ text, onConfirm, onCancel }: { text: string; onConfirm: () => void; onCancel: () => void }) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current!.showModal(), []);
  return (
    <dialog class="dialog" ref={element} aria-labelledby={id} onClose={onCancel}>
      <h2 id={id}>Delete it for good?</h2>
      <p>This is sent to the running system:</p>
      <p class="mono">{text}</p>
      <footer>
        <button type="button" class="button" onClick={() => element.current!.close()}>
          Cancel
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => {
            // A browser restores the focus when a dialog closes, not when it is removed.
            element.current!.close();
            onConfirm();
          }}
        >
          Delete
        </button>
      </footer>
    </dialog>
  );
}
