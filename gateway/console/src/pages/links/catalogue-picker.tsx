import { createItem } from '../../api/organize.js';
import { can, workspace } from '../../app/session.js';
import { Picker, type Choice, type PickerProps } from '../../components/picker.js';
import { LOCALE, t } from '../../messages/messages.js';
import { addToCatalogue, catalogue, ensure, hasFailed, type Kind } from './catalogue.js';

const EMPTY: Record<Kind, string> = {
  tags: t.links.noTags,
  folders: t.links.noFolders,
  domains: t.links.noDomains,
  templates: t.links.noTemplates,
};

interface CatalogueProps extends Omit<PickerProps, 'choices' | 'note' | 'create' | 'onOpen'> {
  kind: Kind;
  /** The name of the choice of none, whose id is empty. */
  none?: string;
  /** Whether a new tag or folder can be created from here, where the role admits that. */
  isCreating?: boolean;
}

/** Chooses among the tags, folders, domains or templates of the workspace, which are loaded when it opens. */
export function CataloguePicker({ kind, none, isCreating, ...picker }: CatalogueProps) {
  const list = catalogue.value[kind];
  return (
    <Picker
      {...picker}
      choices={list && [...(none === undefined ? [] : [{ id: '', name: none }]), ...list.toSorted(byName)]}
      note={list ? EMPTY[kind] : hasFailed(kind) ? t.links.notLoaded : t.loading}
      onOpen={() => void ensure(kind)}
      create={isCreating && (kind === 'tags' || kind === 'folders') ? creationOf(kind, picker.onChoose) : undefined}
    />
  );
}

const byName = (one: Choice, other: Choice): number => one.name.localeCompare(other.name, LOCALE);

function creationOf(kind: 'tags' | 'folders', onCreated: (id: string) => void): PickerProps['create'] {
  if (!can(`${kind}.create`)) return undefined;
  return {
    text: t.picker.create[kind],
    run: async (name) => {
      const { data } = await createItem(workspace.value, kind, { name });
      addToCatalogue(kind, data);
      onCreated(data.id);
    },
  };
}
