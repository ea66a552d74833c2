import { useState } from 'preact/hooks';
import type { ItemFields } from '../../api/organize.js';
import { ColourField } from '../../components/colour-field.js';
import { Field } from '../../components/field.js';
import { FormDialog, type Fields } from '../../components/form.js';
import { useTask } from '../../components/task.js';
import { t } from '../../messages/messages.js';
import { UTM_FIELDS, type Item, type KindOfItem } from './kinds.js';

const words = t.organise;

interface DialogProps {
  kind: KindOfItem;
  /** Absent for a new one. */
  item?: Item;
  save: (fields: ItemFields) => Promise<unknown>;
  onClose: () => void;
}

export function ItemDialog({ kind, item, save, onClose }: DialogProps) {
  const [colour, setColour] = useState(item?.color ?? '');
  const names = [
    'name',
    ...(kind.hasDescription ? ['description'] : []),
    ...(kind.hasColour ? ['color'] : []),
    ...(kind.hasUtm ? UTM_FIELDS : []),
  ];
  const initial = (item ?? {}) as Record<string, string | null | undefined>;
  const task = useTask(async (fields: Fields) => {
    const values = Object.fromEntries(names.map((name) => [name, fields[name] || null]));
    await save({ ...values, name: fields['name']! });
    onClose();
  });
  const field = (name: string, label: string) => (
    <Field
      key={name}
      label={label}
      name={name}
      defaultValue={initial[name] ?? ''}
      autoComplete="off"
      problem={task.failure?.of(name) ?? task.failure?.of(`utm_defaults.${name}`)}
    />
  );
  return (
    <FormDialog
      title={item ? kind.words.editTitle : kind.words.createTitle}
      fields={names}
      task={task}
      submit={item ? t.save : kind.words.create}
      onClose={onClose}
    >
      <Field
        label={words.name}
        name="name"
        defaultValue={item?.name ?? ''}
        maxLength={kind.nameLengthMax}
        autoComplete="off"
        data-focus
        problem={task.failure?.of('name')}
      />
      {kind.hasDescription && field('description', words.description)}
      {kind.hasUtm && <p class="hint">{words.utmHint}</p>}
      {kind.hasUtm && UTM_FIELDS.map((name) => field(name, t.link.fields[name]!))}
      {kind.hasColour && (
        <ColourField
          label={words.colour}
          name="color"
          value={colour}
          hint={t.colourHint}
          onChange={setColour}
          problem={task.failure?.of('color')}
        />
      )}
    </FormDialog>
  );
}
