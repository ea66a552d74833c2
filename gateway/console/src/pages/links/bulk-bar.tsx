import type { BulkChange, Link } from '../../api/links.js';
import { can } from '../../app/session.js';
import { Icon } from '../../components/icon.js';
import { contentRoute, isQr } from '../../config/config.js';
import { formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { CataloguePicker } from './catalogue-picker.js';

export interface BulkBarProps {
  chosen: readonly Link[];
  onChange: (change: BulkChange) => void;
  onClear: () => void;
}

/** Floats above the end of the table while links are selected. */
export default function BulkBar({ chosen, onChange, onClear }: BulkBarProps) {
  const count = chosen.length;
  const areArchived = chosen.every(({ status }) => status === 'archived');
  return (
    <div class="bulk-bar" role="group" aria-label={t.links.selected(formatNumber(count))}>
      <strong aria-live="polite">{t.links.selected(formatNumber(count))}</strong>
      <button type="button" onClick={() => onChange({ action: areArchived ? 'reactivate' : 'archive' })}>
        <Icon name={areArchived ? 'restore' : 'archive'} />
        {areArchived ? t.links.reactivate : t.links.archive}
      </button>
      {!isQr && (
        <>
          <CataloguePicker
            kind="tags"
            class=""
            align="up"
            isMultiple
            isCreating
            chosen={tagsOfAll(chosen)}
            onChoose={(id) =>
              onChange({ action: tagsOfAll(chosen).includes(id) ? 'remove_tags' : 'add_tags', tag_ids: [id] })
            }
            button={<Choice icon="tag" text={t.links.tagAction} />}
          />
          <CataloguePicker
            kind="folders"
            class=""
            align="up"
            isCreating
            none={t.links.noFolder}
            chosen={[]}
            onChoose={(id) => onChange({ action: 'move', folder_id: id || null })}
            button={<Choice icon="move" text={t.links.move} />}
          />
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

/** The tags that all of the links have. */
const tagsOfAll = ([first, ...others]: readonly Link[]): string[] =>
  (first?.tags ?? []).map(({ id }) => id).filter((id) => others.every(({ tags }) => tags.some((tag) => tag.id === id)));

function Choice({ icon, text }: { icon: 'tag' | 'move'; text: string }) {
  return (
    <>
      <Icon name={icon} />
      {text}
    </>
  );
}
