import type { BulkChange, Link } from '../../api/links.js';
import { contentRoute, isQr } from '../../app/config.js';
import { can } from '../../app/session.js';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { CatalogueNote } from './catalogue-note.js';
import { catalogue, ensure } from './catalogue.js';

interface BulkBarProps {
  chosen: readonly Link[];
  onChange: (change: BulkChange) => void;
  onClear: () => void;
}

/** Floats above the end of the table while links are selected. */
export function BulkBar({ chosen, onChange, onClear }: BulkBarProps) {
  const count = chosen.length;
  const areArchived = chosen.every(({ status }) => status === 'archived');
  const { tags, folders } = catalogue.value;
  return (
    <div class="bulk-bar" role="group" aria-label={t.links.selected(formatNumber(count))}>
      <strong aria-live="polite">{t.links.selected(formatNumber(count))}</strong>
      <button type="button" onClick={() => onChange({ action: areArchived ? 'reactivate' : 'archive' })}>
        <Icon name={areArchived ? 'restore' : 'archive'} />
        {areArchived ? t.links.reactivate : t.links.archive}
      </button>
      {!isQr && (
        <>
          <Menu
            class=""
            align="up"
            onOpen={() => void ensure('tags')}
            button={<Choice icon="tag" text={t.links.tagAction} />}
          >
            {tags?.map(({ id, name }) => {
              const isOnAll = chosen.every((link) => link.tags.some((tag) => tag.id === id));
              const action = isOnAll ? 'remove_tags' : 'add_tags';
              return (
                <MenuItem key={id} isMultiple isChecked={isOnAll} onSelect={() => onChange({ action, tag_ids: [id] })}>
                  {name}
                </MenuItem>
              );
            })}
            <CatalogueNote kind="tags" />
          </Menu>
          <Menu
            class=""
            align="up"
            onOpen={() => void ensure('folders')}
            button={<Choice icon="move" text={t.links.move} />}
          >
            <MenuItem onSelect={() => onChange({ action: 'move', folder_id: null })}>{t.links.noFolder}</MenuItem>
            {folders?.map(({ id, name }) => (
              <MenuItem key={id} onSelect={() => onChange({ action: 'move', folder_id: id })}>
                {name}
              </MenuItem>
            ))}
            <CatalogueNote kind="folders" />
          </Menu>
        </>
      )}
      {can(contentRoute('delete')) && (
        <>
          <i />
          <button type="button" class="danger" onClick={() => onChange({ action: 'delete' })}>
            <Icon name="trash" />
            {t.links.remove}
          </button>
        </>
      )}
      <i />
      <button type="button" aria-label={t.links.clearSelection} onClick={onClear}>
        <Icon name="close" />
      </button>
    </div>
  );
}

function Choice({ icon, text }: { icon: 'tag' | 'move'; text: string }) {
  return (
    <>
      <Icon name={icon} />
      {text}
    </>
  );
}
