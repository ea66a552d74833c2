import { useState } from 'preact/hooks';
import { createWorkspace } from '../api/workspaces.js';
import { navigate } from '../app/router.js';
import { loadSession } from '../app/session.js';
import { Field } from '../components/field.js';
import { FormDialog, type Fields } from '../components/form.js';
import { useTask } from '../components/task.js';
import { t } from '../messages/messages.js';

const words = t.newWorkspace;
const SLUG_LENGTH_MAX = 63;

/** A name as a part of an address; empty if it has no letter or digit of the Latin alphabet. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/^-+|-+$/g, '');

/** Asks for a name, and derives the slug from it until the user types another one. */
export default function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const [typed, type] = useState<string>();
  const [name, setName] = useState('');
  const task = useTask(async (fields: Fields) => {
    const { slug } = await createWorkspace({ name: fields['name']!, slug: fields['slug']! });
    await loadSession();
    onClose();
    navigate(`/console/w/${slug}/links`);
  });
  return (
    <FormDialog title={words.title} fields={['name', 'slug']} task={task} submit={words.create} onClose={onClose}>
      <Field
        label={words.name}
        name="name"
        value={name}
        maxLength={100}
        autoComplete="off"
        data-focus
        onInput={(event) => setName(event.currentTarget.value)}
        problem={task.failure?.of('name')}
      />
      <Field
        label={words.slug}
        hint={words.slugHint}
        name="slug"
        value={typed ?? slugOf(name)}
        maxLength={SLUG_LENGTH_MAX}
        autoComplete="off"
        autoCapitalize="off"
        spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)}
        problem={task.failure?.of('slug')}
      />
    </FormDialog>
  );
}
