import { useState } from 'preact/hooks';
import { createItem, deleteItem, updateItem } from '../../api/organize.js';
import { useLoad } from '../../app/load.js';
import { segments } from '../../app/router.js';
import { can, pageOf, workspace } from '../../app/session.js';
import { Confirm } from '../../components/dialog.js';
import { Page } from '../../components/page.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { t } from '../../messages/messages.js';
import { forgetCatalogue } from '../links/catalogue.js';
import { ItemDialog } from './item-dialog.js';
import { ItemList } from './item-list.js';
import { KINDS, type Item, type KindOfItem } from './kinds.js';

/** Folders, and tags and UTM templates below them in the address. */
export default function FoldersPage() {
  const path = segments.value[3] ?? '';
  return <KindPage kind={KINDS.find((each) => each.path === path) ?? KINDS[0]!} />;
}

type Asked = { what: 'create' } | { what: 'edit' | 'remove'; item: Item };

function KindPage({ kind }: { kind: KindOfItem }) {
  const { words } = kind;
  const { state, reload } = useLoad(`${workspace.value} ${kind.kind}`, () => kind.list(workspace.value));
  const [asked, ask] = useState<Asked>();
  const close = () => ask(undefined);
  const changed = async () => {
    forgetCatalogue();
    await reload(true);
  };
  const remove = useTask(async ({ id, name }: Item) => {
    await deleteItem(workspace.value, kind.kind, id);
    showToast({ text: words.removed(name) });
    await changed();
  });
  return (
    <Page
      name={words.title}
      title={t.organise.title}
      actions={
        can(`${kind.route}.create`) && (
          <button type="button" class="button primary" onClick={() => ask({ what: 'create' })}>
            {words.create}
          </button>
        )
      }
    >
      <div class="stack">
        <Kinds current={kind} />
        <FailureNotice failure={remove.failure} />
        <ItemList
          kind={kind}
          loaded={state.value}
          onEdit={(item) => ask({ what: 'edit', item })}
          onRemove={(item) => ask({ what: 'remove', item })}
        />
      </div>
      {asked?.what === 'create' && (
        <ItemDialog
          kind={kind}
          save={(fields) => createItem(workspace.value, kind.kind, fields).then(changed)}
          onClose={close}
        />
      )}
      {asked?.what === 'edit' && (
        <ItemDialog
          kind={kind}
          item={asked.item}
          save={(fields) => updateItem(workspace.value, { kind: kind.kind, id: asked.item.id }, fields).then(changed)}
          onClose={close}
        />
      )}
      {asked?.what === 'remove' && (
        <Confirm
          title={words.removeTitle(asked.item.name)}
          body={words.removeText}
          yes={words.remove}
          no={t.organise.keep}
          onConfirm={() => void remove.start(asked.item)}
          onClose={close}
        />
      )}
    </Page>
  );
}

function Kinds({ current }: { current: KindOfItem }) {
  return (
    <nav class="segments" aria-label={t.organise.title}>
      {KINDS.filter(({ route }) => can(`${route}.list`)).map(({ kind, path, words }) => (
        <a
          key={kind}
          href={pageOf(path ? `folders/${path}` : 'folders')}
          aria-current={kind === current.kind ? 'page' : undefined}
        >
          {words.title}
        </a>
      ))}
    </nav>
  );
}
