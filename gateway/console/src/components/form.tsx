import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../api/failure.js';
import { withRecentSignIn } from '../app/reauthentication.js';
import { t } from '../messages/messages.js';
import { Dialog } from './dialog.js';
import { FailureText, Notice } from './notice.js';

export interface Task<A extends unknown[]> {
  start: (...args: A) => Promise<void>;
  failure: Failure | undefined;
  isBusy: boolean;
}

/** Runs a change once at a time, asks for the password where that is needed, and keeps its failure until the next attempt. */
export function useTask<A extends unknown[]>(run: (...args: A) => Promise<unknown>): Task<A> {
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  const start = async (...args: A) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    try {
      await withRecentSignIn(() => run(...args));
      setFailure(undefined);
    } catch (error) {
      setFailure(asFailure(error));
    }
    isRunning.current = false;
    setBusy(false);
  };
  return { start, failure, isBusy };
}

/** Reports a failure unless it is already beside one of the fields. */
export function FailureNotice({ failure, fields = [] }: { failure: Failure | undefined; fields?: readonly string[] }) {
  if (!failure || failure.kind === 'ended' || fields.some((name) => failure.of(name))) return null;
  return (
    <Notice kind="danger" icon={failure.kind === 'offline' ? 'offline' : 'alert'} role="alert">
      {failure.firstProblem ?? <FailureText failure={failure} />} {failure.isTemporary && t.failure.kept}
    </Notice>
  );
}

export type Fields = Record<string, string>;

interface FormProps {
  /** The names of the fields that show their own problems. */
  fields?: readonly string[];
  task: Task<[Fields]>;
  submit: string;
  isDanger?: boolean;
  onCancel?: () => void;
  children: ComponentChildren;
}

/** A form that keeps what was typed when the change fails, and then focuses the first field with a problem. */
export function Form({ fields, task, submit, isDanger, onCancel, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (task.failure) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [task.failure]);
  return (
    <form
      class="form"
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void task.start(textsOf(event.currentTarget));
      }}
    >
      {children}
      <FailureNotice failure={task.failure} fields={fields ?? []} />
      <footer>
        {onCancel && (
          <button type="button" class="button" data-focus={isDanger ? '' : undefined} onClick={onCancel}>
            {t.cancel}
          </button>
        )}
        <button type="submit" class={`button ${isDanger ? 'danger' : 'primary'}`} aria-disabled={task.isBusy}>
          {submit}
        </button>
      </footer>
    </form>
  );
}

function textsOf(form: HTMLFormElement): Fields {
  const texts: Fields = {};
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') texts[name] = value.trim();
  return texts;
}

/** A form in a dialog. */
export function FormDialog({ title, onClose, ...form }: FormProps & { title: string; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form} onCancel={onClose} />
    </Dialog>
  );
}
