import type { RefObject } from 'preact';
import { useId } from 'preact/hooks';
import { isColour } from '../format/format.js';
import { t } from '../messages/messages.js';
import { Problem } from './field.js';

interface ColourProps {
  label: string;
  name?: string;
  value: string;
  hint?: string;
  problem?: string | undefined;
  isInvalid?: boolean;
  inputRef?: RefObject<HTMLInputElement | null>;
  onChange: (value: string) => void;
}

/** A colour to type or to pick. */
export function ColourField({ label, name, value, hint, problem, isInvalid, inputRef, onChange }: ColourProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="colour">
        <input
          type="color"
          aria-label={t.pickColour(label)}
          value={isColour(value) ? value : '#808080'}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <input
          ref={inputRef}
          id={id}
          class="input mono"
          name={name}
          value={value}
          maxLength={7}
          spellcheck={false}
          autoComplete="off"
          aria-invalid={isInvalid || problem ? true : undefined}
          aria-describedby={problem || hint ? `${id}-text` : undefined}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      {problem ? (
        <Problem id={`${id}-text`} text={problem} />
      ) : (
        hint && (
          <p class="hint" id={`${id}-text`}>
            {hint}
          </p>
        )
      )}
    </div>
  );
}
