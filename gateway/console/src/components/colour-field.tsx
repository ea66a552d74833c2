import { useState } from 'preact/hooks';
import { isColour } from '../format/format.js';
import { t } from '../messages/messages.js';
import { Field } from './field.js';

interface ColourProps {
  label: string;
  name: string;
  initial: string;
  problem?: string;
}

/** A colour to type or to pick; empty for none. */
export function ColourField({ label, name, initial, problem }: ColourProps) {
  const [colour, setColour] = useState(initial);
  return (
    <div class="colour-field">
      <Field
        label={label}
        hint={t.colourHint}
        name={name}
        value={colour}
        maxLength={7}
        spellcheck={false}
        autoComplete="off"
        onInput={(event) => setColour(event.currentTarget.value)}
        problem={problem}
      />
      <input
        type="color"
        aria-label={t.pickColour(label)}
        value={isColour(colour) ? colour : '#808080'}
        onInput={(event) => setColour(event.currentTarget.value)}
      />
    </div>
  );
}
