import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { CataloguePicker } from '../links/catalogue-picker.js';
import { catalogue, ensure } from '../links/catalogue.js';

interface CatalogueProps {
  label: string;
  note: ComponentChildren;
  value: string;
  disabled: boolean;
  onChange: (id: string) => void;
  kind: 'folders' | 'domains';
  none: string;
  /** The name of the chosen one while the list has not come, and of one that the list leaves out. */
  current?: string | undefined;
}

export function CatalogueField({ label, note, value, disabled, onChange, kind, none, current }: CatalogueProps) {
  const id = useId();
  // The name of the chosen one.
  useEffect(() => void (value && ensure(kind)), []);
  const name = value === '' ? none : (catalogue.value[kind]?.find((each) => each.id === value)?.name ?? current ?? '…');
  return (
    <div class="field">
      <span class="label" id={`${id}-label`}>
        {label}
        {note}
      </span>
      <CataloguePicker
        kind={kind}
        class="select"
        isDisabled={disabled}
        isCreating
        labelledBy={`${id}-label ${id}-name`}
        none={none}
        chosen={[value]}
        onChoose={onChange}
        button={
          <span class="truncate" id={`${id}-name`}>
            {name}
          </span>
        }
      />
    </div>
  );
}
