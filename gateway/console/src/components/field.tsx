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

interface FrameProps {
  label: string;
  /** Beside the label, e.g. that the field was edited. */
  note?: ComponentChildren;
  hint?: ComponentChildren;
  problem?: string;
  /** At the end of the field, e.g. a button that shows a password. */
  children?: ComponentChildren;
  class?: string;
}

interface FieldProps extends FrameProps, Omit<JSX.IntrinsicElements['input'], keyof FrameProps | 'ref'> {
  /** The id of a list of suggestions. */
  list?: string;
  inputRef?: Ref<HTMLInputElement>;
}

/** A labelled input; its problem appears below it and is read with it. */
export function Field(props: FieldProps) {
  const { label, note, hint, problem, children, inputRef, class: _class, ...input } = props;
  return <Frame {...props} control={(bound) => <input {...(input as object)} {...bound} ref={inputRef} />} />;
}

type AreaProps = FrameProps & Omit<JSX.IntrinsicElements['textarea'], keyof FrameProps | 'ref'>;

/** The same for a text of several lines. */
export function TextArea(props: AreaProps) {
  const { label, note, hint, problem, children, class: _class, ...area } = props;
  return <Frame {...props} control={(bound) => <textarea {...area} {...bound} />} />;
}

interface BoundAttributes {
  id: string;
  class: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

function Frame(props: FrameProps & { control: (bound: BoundAttributes) => ComponentChildren }) {
  const { label, note, hint, problem, children, class: className = '', control } = props;
  const id = useId();
  const described = problem ? `${id}-problem` : hint ? `${id}-hint` : undefined;
  return (
    <div class={`field ${className}`}>
      <label for={id}>
        {label}
        {note}
      </label>
      {control({ id, class: 'input', 'aria-invalid': problem ? true : undefined, 'aria-describedby': described })}
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
