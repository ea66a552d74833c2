import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../api/failure.js';
import { withRecentSignIn } from '../app/reauthentication.js';
import { discardOrAsk, useUnsaved } from '../app/unsaved.js';
import { t } from '../messages/messages.js';
import { Dialog } from './dialog.js';
import { FailureText, Notice } from './notice.js';

export interface Task<A extends unknown[]> {
  /** Returns whether it succeeded. */
  start: (...args: A) => Promise<boolean>;
  failure: Failure | undefined;
  isBusy: boolean;
}

/** Runs a change once at a time, asks for the password where that is needed, and keeps its failure until the next attempt. */
export function useTask<A extends unknown[]>(run: (...args: A) => Promise<unknown>): Task<A> {
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  const start = async (...args: A) => {
    if (isRunning.current) return false;
    isRunning.current = true;
    setBusy(true);
    let failed: Failure | undefined;
    try {
      await withRecentSignIn(() => run(...args));
    } catch (error) {
      failed = asFailure(error);
    }
    setFailure(failed);
    isRunning.current = false;
    setBusy(false);
    return failed === undefined;
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
  /** Is set to a function that counts the unsaved changes. */
  changes?: { current: () => number };
  children: ComponentChildren;
}

/** A form that keeps what was typed when the change fails, and then focuses the first field with a problem. */
export function Form({ fields, task, submit, isDanger, onCancel, changes, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (task.failure) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [task.failure]);
  const saved = useRef<Fields>({});
  useLayoutEffect(() => void (saved.current = changeableTexts(form.current!)), []);
  const countUnsaved = () => countChanges(form.current, saved.current);
  useUnsaved(countUnsaved);
  if (changes) changes.current = countUnsaved;
  return (
    <form
      class="form"
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const { currentTarget } = event;
        void task.start(textsOf(currentTarget)).then((isSaved) => {
          if (isSaved) saved.current = changeableTexts(currentTarget);
        });
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

/** What the user may have typed or chosen; passwords are typed again in any case, and browsers fill them in unasked. */
function changeableTexts(form: HTMLFormElement): Fields {
  const texts: Fields = {};
  for (const { name, type } of form.elements as unknown as Iterable<HTMLInputElement>) {
    if (name && type !== 'password') texts[name] = new FormData(form).getAll(name).filter(isText).join();
  }
  return texts;
}

const isText = (value: FormDataEntryValue): value is string => typeof value === 'string';

function countChanges(form: HTMLFormElement | null, saved: Fields): number {
  const texts = form ? changeableTexts(form) : {};
  return Object.keys(texts).filter((name) => texts[name] !== (saved[name] ?? '')).length;
}

/** A form in a dialog; Escape asks before it loses what was typed. */
export function FormDialog({ title, onClose, ...form }: FormProps & { title: string; onClose: () => void }) {
  const changes = useRef(() => 0);
  return (
    <Dialog title={title} onClose={onClose} onDismiss={() => discardOrAsk(changes.current(), onClose)}>
      <Form {...form} changes={changes} onCancel={onClose} />
    </Dialog>
  );
}
