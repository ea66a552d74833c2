import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import { t } from '../../messages/messages.js';
import { CataloguePicker } from '../links/catalogue-picker.js';
import { catalogue } from '../links/catalogue.js';
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
          <CataloguePicker
            kind="tags"
            class="button small"
            isMultiple
            isCreating
            chosen={ids}
            onChoose={toggle}
            button={
              <>
                <Icon name="tag" />
                {t.link.chooseTags}
              </>
            }
          />
        )}
      </div>
    </div>
  );
}
