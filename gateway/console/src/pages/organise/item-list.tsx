import { useState } from 'preact/hooks';
import type { Loaded } from '../../app/load.js';
import { can, pageOf } from '../../app/session.js';
import { Field } from '../../components/field.js';
import { Icon } from '../../components/icon.js';
import { ListPanel, Row } from '../../components/list.js';
import { formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { TagDot } from '../links/tag-list.js';
import { UTM_FIELDS, type Item, type KindOfItem } from './kinds.js';

const words = t.organise;
/** Longer lists get a field to find an item. */
const SHORT_LIST = 10;
const SHOWN_MAX = 100;

interface ListProps {
  kind: KindOfItem;
  loaded: Loaded<readonly Item[]>;
  onEdit: (item: Item) => void;
  onRemove: (item: Item) => void;
}

export function ItemList({ kind, loaded, onEdit, onRemove }: ListProps) {
  const [search, setSearch] = useState('');
  const [isWhole, showWhole] = useState(false);
  const all = loaded.data;
  const isLong = all !== undefined && (all.length > SHORT_LIST || search !== '');
  const wanted = search.trim().toLocaleLowerCase();
  const found = all?.filter(({ name }) => name.toLocaleLowerCase().includes(wanted));
  const shown = isWhole ? found : found?.slice(0, SHOWN_MAX);
  return (
    <ListPanel
      title={kind.words.title}
      isTitleHidden
      loaded={{ ...loaded, data: shown }}
      empty={all?.length ? words.noneFound : kind.words.empty}
      head={
        isLong && (
          <div class="fields-row">
            <Field
              label={words.find}
              type="search"
              value={search}
              autoComplete="off"
              onInput={(event) => setSearch(event.currentTarget.value)}
            />
          </div>
        )
      }
      row={(item) => (
        <ItemRow key={item.id} {...{ kind, item }} onEdit={() => onEdit(item)} onRemove={() => onRemove(item)} />
      )}
      foot={
        found &&
        shown &&
        found.length > shown.length && (
          <button type="button" class="link-button" onClick={() => showWhole(true)}>
            {words.showAll(formatNumber(found.length))}
          </button>
        )
      }
    />
  );
}

interface RowProps {
  kind: KindOfItem;
  item: Item;
  onEdit: () => void;
  onRemove: () => void;
}

function ItemRow({ kind, item, onEdit, onRemove }: RowProps) {
  const { id, name, color, links_count } = item;
  return (
    <Row
      title={
        <>
          {kind.hasColour && <TagDot color={color ?? null} />}
          {kind.filter ? <a href={pageOf(`links?${kind.filter}=${id}`)}>{name}</a> : name}
        </>
      }
      text={textOf(kind, item)}
      facts={links_count === undefined ? undefined : words.links(links_count, formatNumber(links_count))}
      actions={
        <>
          {can(`${kind.route}.update`) && (
            <button type="button" class="button small" aria-label={words.editOf(name)} onClick={onEdit}>
              {t.edit}
            </button>
          )}
          {can(`${kind.route}.delete`) && (
            <button type="button" class="icon-button" aria-label={words.removeOf(name)} onClick={onRemove}>
              <Icon name="trash" />
            </button>
          )}
        </>
      }
    />
  );
}

function textOf({ hasUtm }: KindOfItem, item: Item): string | undefined {
  const values = item as unknown as Record<string, string | null>;
  const parameters = hasUtm ? UTM_FIELDS.flatMap((name) => (values[name] ? [`${name}=${values[name]}`] : [])) : [];
  return [item.description, parameters.join(' · ')].filter(Boolean).join(' · ') || undefined;
}
