import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

interface SelectProps {
  label: string;
  /** Beside the label, e.g. that the field was edited. */
  note?: ComponentChildren;
  name?: string;
  value?: string;
  options: Readonly<Record<string, string>>;
  hint?: string;
  disabled?: boolean;
  onChange?: (value: string) => void;
}

/** A choice that keeps itself for its form, unless `onChange` takes it. */
export function Select({ label, note, name, value, options, hint, disabled, onChange }: SelectProps) {
  const id = useId();
  const [chosen, choose] = useState(value ?? Object.keys(options)[0]);
  return (
    <div class="field">
      <label for={id}>
        {label}
        {note}
      </label>
      <select
        class="select"
        id={id}
        name={name}
        disabled={disabled}
        aria-describedby={hint && `${id}-hint`}
        value={onChange ? value : chosen}
        onChange={(event) => {
          choose(event.currentTarget.value);
          onChange?.(event.currentTarget.value);
        }}
      >
        {Object.entries(options).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
