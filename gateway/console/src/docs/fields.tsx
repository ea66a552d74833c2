import { useId, useState } from 'preact/hooks';
import { Disclosure } from './disclosure.js';
import { Markdown } from './markdown.js';
import type { Field } from './schema.js';

/** A tree of fields; the fields of a field are shown on demand. */
export function Fields({ fields }: { fields: Field[] }) {
  return (
    <ul class="fields">
      {fields.map((field) => (
        <li key={field.name}>
          <FieldLine {...field} />
        </li>
      ))}
    </ul>
  );
}

function FieldLine({ name, type, isRequired, description, facts, values, fields }: Field) {
  const inner = fields();
  return (
    <>
      <div class="field-head">
        <code>{name}</code> <span class="muted">{type}</span> {isRequired && <span class="required">required</span>}
      </div>
      {facts.length > 0 && <p class="muted">{facts.join(' · ')}</p>}
      {description && <Markdown text={description} />}
      {values.length > 0 && (
        <p class="values">
          <span class="muted">One of</span>{' '}
          {values.map((value) => (
            <>
              <code>{value}</code>{' '}
            </>
          ))}
        </p>
      )}
      {inner.length > 0 && <InnerFields label={countOf(inner, 'field', `of ${name}`)} fields={inner} />}
    </>
  );
}

/** Returns `2 fields of changes`. */
export const countOf = ({ length }: Field[], noun: string, whole: string): string =>
  `${length} ${noun}${length === 1 ? '' : 's'} ${whole}`;

/** Fields that are shown on demand. */
export function InnerFields({ label, fields }: { label: string; fields: Field[] }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <Disclosure id={id} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} label={label} class="inner">
      {() => <Fields fields={fields} />}
    </Disclosure>
  );
}
