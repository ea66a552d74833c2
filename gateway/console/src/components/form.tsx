import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { discardOrAsk, useUnsaved } from '../app/unsaved.js';
import { t } from '../messages/messages.js';
import { Dialog } from './dialog.js';
import { FailureNotice, type Task } from './task.js';

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
