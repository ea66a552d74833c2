import { useEffect, useRef, useState } from 'preact/hooks';
import type { LinkFilters } from '../../api/links.js';
import { replaceLostFocus } from '../../components/focus.js';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { isQr } from '../../config/config.js';
import { t } from '../../messages/messages.js';
import { CataloguePicker } from './catalogue-picker.js';
import { ensure, hasCatalogue, nameOf } from './catalogue.js';
import { DEFAULT_SORT, FILTERS, setFilter, type FilterName } from './query.js';

const SEARCH_DELAY_MS = 250;

const KIND_OF = { tag_id: 'tags', folder_id: 'folders', domain_id: 'domains' } as const;
/** Two filters of the API are one of the page: a link has one state. */
const groupOf = (name: FilterName): string => (name === 'availability' ? 'status' : name);
const TEXT_OF: Record<FilterName, string> = {
  status: t.links.filters.status,
  availability: t.links.filters.status,
  tag_id: t.links.filters.tag,
  folder_id: t.links.filters.folder,
  domain_id: t.links.filters.domain,
  campaign: t.links.filters.campaign,
};

export function FilterBar({ filters }: { filters: LinkFilters }) {
  const active = FILTERS.filter((name) => filters[name] !== undefined);
  const kinds = isQr ? [] : (['tag_id', 'folder_id', 'domain_id'] as const);
  const offered = kinds.filter((name) => filters[name] === undefined && hasCatalogue(KIND_OF[name]));
  const hasStatus = filters.status !== undefined || filters.availability !== undefined;
  // The name of a filter that came with the address has to be looked up.
  useEffect(() => {
    for (const name of active) if (name in KIND_OF) void ensure(KIND_OF[name as keyof typeof KIND_OF]);
  }, [active.join()]);
  const { chips, choose } = useChips(active);
  return (
    <div class="filters">
      <Search text={filters.search ?? ''} />
      <div class="chips" ref={chips}>
        {active.map((name) => (
          <Chip key={name} name={name} value={filters[name]!} onRemove={() => choose(name, undefined)} />
        ))}
        {!hasStatus && <AddStatus onChoose={choose} />}
        {offered.map((name) => (
          <AddFilter key={name} name={name} onChoose={(value) => choose(name, value)} />
        ))}
      </div>
      <select
        class="select"
        aria-label={t.links.sort}
        value={filters.sort ?? DEFAULT_SORT}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setFilter('sort', value === DEFAULT_SORT ? undefined : value);
        }}
      >
        {Object.entries(t.links.sorts).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The focus follows a filter from its menu to its chip, and back: the one disappears when the other appears. */
function useChips(active: readonly FilterName[]) {
  const chips = useRef<HTMLDivElement>(null);
  const last = useRef<FilterName | undefined>(undefined);
  useEffect(() => {
    if (last.current)
      replaceLostFocus(chips.current?.querySelector<HTMLElement>(`[data-filter=${groupOf(last.current)}] button`));
    last.current = undefined;
  }, [active.join()]);
  const choose = (name: FilterName, value: string | undefined) => {
    last.current = name;
    setFilter(name, value);
  };
  return { chips, choose };
}

function Search({ text }: { text: string }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => setFilter('search', typed.trim() || undefined), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div class="search">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={t.links.search}
        placeholder={t.links.search}
        value={typed}
        maxLength={255}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </div>
  );
}

function Chip({ name, value, onRemove }: { name: FilterName; value: string; onRemove: () => void }) {
  const text = TEXT_OF[name];
  return (
    <span class="chip" data-filter={groupOf(name)}>
      <span>
        {text} <strong>{valueText(name, value)}</strong>
      </span>
      <button type="button" aria-label={t.links.removeFilter(text)} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

function valueText(name: FilterName, value: string): string {
  if (name === 'status') return t.links.statuses[value] ?? value;
  if (name === 'availability') return t.links.availabilities[value] ?? value;
  return name in KIND_OF ? nameOf(KIND_OF[name as keyof typeof KIND_OF], value) : value;
}

const triggerOf = (text: string) => ({
  class: 'button dashed',
  label: t.links.addFilter(text),
  button: (
    <>
      <Icon name="plus" />
      {text}
    </>
  ),
});

/** Offers what visitors get now, and every link that is not archived, in whichever state. */
function AddStatus({ onChoose }: { onChoose: (name: FilterName, value: string) => void }) {
  return (
    <span data-filter="status">
      <Menu {...triggerOf(t.links.filters.status)}>
        {Object.entries(t.links.availabilities).map(([id, label]) => (
          <MenuItem key={id} onSelect={() => onChoose('availability', id)}>
            {label}
          </MenuItem>
        ))}
        <MenuItem onSelect={() => onChoose('status', 'active')}>{t.links.statuses['active']}</MenuItem>
      </Menu>
    </span>
  );
}

interface AddProps {
  name: keyof typeof KIND_OF;
  onChoose: (value: string) => void;
}

function AddFilter({ name, onChoose }: AddProps) {
  return (
    <span data-filter={name}>
      <CataloguePicker {...triggerOf(TEXT_OF[name])} kind={KIND_OF[name]} chosen={[]} onChoose={onChoose} />
    </span>
  );
}
