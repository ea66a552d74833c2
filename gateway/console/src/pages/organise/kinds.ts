import { listFolders, listTags, listTemplates, type Kind } from '../../api/organize.js';
import { t } from '../../messages/messages.js';

/** A folder, tag or template as the list shows it. */
export interface Item {
  id: string;
  name: string;
  description?: string | null;
  color?: string | null;
  links_count?: number;
}

export const UTM_FIELDS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

export interface KindOfItem {
  kind: Kind;
  /** The last segment of the page's address. */
  path: '' | 'tags' | 'templates';
  /** The beginning of the names of its routes. */
  route: string;
  words: (typeof t.organise.kinds)['folders'];
  nameLengthMax: number;
  hasDescription: boolean;
  hasColour: boolean;
  hasUtm: boolean;
  /** The filter of the list of links that shows its links. */
  filter?: 'folder_id' | 'tag_id';
  list: (workspace: string) => Promise<readonly Item[]>;
}

const words = t.organise.kinds;
export const KINDS: readonly KindOfItem[] = [
  {
    kind: 'folders',
    path: '',
    route: 'folders',
    words: words.folders,
    nameLengthMax: 100,
    hasDescription: true,
    hasColour: true,
    hasUtm: false,
    filter: 'folder_id',
    list: listFolders,
  },
  {
    kind: 'tags',
    path: 'tags',
    route: 'tags',
    words: words.tags,
    nameLengthMax: 50,
    hasDescription: false,
    hasColour: true,
    hasUtm: false,
    filter: 'tag_id',
    list: listTags,
  },
  {
    kind: 'utm-templates',
    path: 'templates',
    route: 'utm_templates',
    words: words.templates,
    nameLengthMax: 100,
    hasDescription: true,
    hasColour: false,
    hasUtm: true,
    list: listTemplates,
  },
];
