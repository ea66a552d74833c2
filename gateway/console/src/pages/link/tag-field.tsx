import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { t } from '../../messages/messages.js';
import { CatalogueNote } from '../links/catalogue-note.js';
import { catalogue, ensure } from '../links/catalogue.js';
import { TagList, type Tag } from '../links/tag-list.js';

interface TagFieldProps {
  label: string;
  note: ComponentChildren;
  /** The tags that the link has, whose names are known before the list of all tags. */
  known: readonly Tag[];
  ids: readonly string[];
  isReadOnly: boolean;
  onChange: (ids: string[]) => void;
}

/** The tags of a link, and a menu that adds and removes them. */
export function TagField({ label, note, known, ids, isReadOnly, onChange }: TagFieldProps) {
  const id = useId();
  const { tags } = catalogue.value;
  const chosen = ids.flatMap((each) => [...known, ...(tags ?? [])].find((tag) => tag.id === each) ?? []);
  const toggle = (tag: string) => onChange(ids.includes(tag) ? ids.filter((each) => each !== tag) : [...ids, tag]);
  return (
    <div class="field" role="group" aria-labelledby={id}>
      <span class="label" id={id}>
        {label}
        {note}
      </span>
      <div class="tag-field">
        {chosen.length > 0 ? <TagList tags={chosen} /> : <span class="muted">{t.none}</span>}
        {!isReadOnly && (
          <Menu
            class="button small"
            onOpen={() => void ensure('tags')}
            button={
              <>
                <Icon name="tag" />
                {t.link.chooseTags}
              </>
            }
          >
            {tags?.map(({ id: tag, name }) => (
              <MenuItem key={tag} isMultiple isChecked={ids.includes(tag)} onSelect={() => toggle(tag)}>
                {name}
              </MenuItem>
            ))}
            <CatalogueNote kind="tags" />
          </Menu>
        )}
      </div>
    </div>
  );
}
