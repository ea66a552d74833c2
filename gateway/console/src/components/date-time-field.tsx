import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Field } from './field.js';
import { Icon } from './icon.js';

interface DateTimeProps {
  label: string;
  note?: ComponentChildren;
  hint?: string;
  problem?: string | undefined;
  /** Shown while only a part of the date or the time is there: to the browser such a field is empty. */
  incomplete: string;
  clear: string;
  /** As the field has it: in the time zone of the browser. */
  value: string;
  readOnly?: boolean;
  onChange: (value: string) => void;
}

/** A date and a time of day. `checkValidity` of its input shows that it is incomplete. */
export function DateTimeField({ problem, incomplete, clear, value, readOnly, onChange, ...field }: DateTimeProps) {
  const [isIncomplete, setIncomplete] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const check = () => setIncomplete(input.current!.validity.badInput);
  return (
    <Field
      {...field}
      class="clearable"
      type="datetime-local"
      problem={isIncomplete ? incomplete : problem}
      value={value}
      readOnly={readOnly}
      inputRef={input}
      onInput={() => {
        if (!input.current!.validity.badInput) setIncomplete(false);
        onChange(input.current!.value);
      }}
      onBlur={check}
      onInvalid={check}
    >
      {!readOnly && (value !== '' || isIncomplete) && (
        <button
          type="button"
          class="icon-button"
          aria-label={clear}
          onClick={() => {
            input.current!.value = '';
            input.current!.focus();
            setIncomplete(false);
            onChange('');
          }}
        >
          <Icon name="close" />
        </button>
      )}
    </Field>
  );
}

/** Shows the first field of the form that is incomplete, and returns whether there is one. */
export function showIncomplete(form: HTMLFormElement): boolean {
  const inputs = [...form.querySelectorAll<HTMLInputElement>('input[type=datetime-local]')];
  const found = inputs.find(({ validity }) => validity.badInput);
  found?.checkValidity();
  found?.focus();
  return found !== undefined;
}
