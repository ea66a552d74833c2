import type { ComponentChildren, JSX, Ref } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from './icon.js';

export function Problem({ id, text }: { id?: string; text: ComponentChildren }) {
  return (
    <p class="problem" id={id}>
      <Icon name="alert" />
      <span>{text}</span>
    </p>
  );
}

interface FieldProps extends Omit<JSX.IntrinsicElements['input'], 'label' | 'ref'> {
  label: string;
  /** Beside the label, e.g. that the field was edited. */
  note?: ComponentChildren;
  hint?: string;
  problem?: string;
  /** At the end of the field, e.g. a button that shows a password. */
  children?: ComponentChildren;
  /** The id of a list of suggestions. */
  list?: string;
  inputRef?: Ref<HTMLInputElement>;
}

/** A labelled input; its problem appears below it and is read with it. */
export function Field({ label, note, hint, problem, children, inputRef, class: className, ...input }: FieldProps) {
  const id = useId();
  const described = problem ? `${id}-problem` : hint ? `${id}-hint` : undefined;
  return (
    <div class={`field ${(className as string | undefined) ?? ''}`}>
      <label for={id}>
        {label}
        {note}
      </label>
      <input
        {...(input as object)}
        ref={inputRef}
        id={id}
        class="input"
        aria-invalid={problem ? true : undefined}
        aria-describedby={described}
      />
      {children}
      {problem ? (
        <Problem id={`${id}-problem`} text={problem} />
      ) : (
        hint && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )
      )}
    </div>
  );
}
