import { MenuNote } from '../../components/menu.js';
import { t } from '../../messages/messages.js';
import { catalogue, hasFailed, type Kind } from './catalogue.js';

const EMPTY: Record<Kind, string> = {
  tags: t.links.noTags,
  folders: t.links.noFolders,
  domains: t.links.noDomains,
  templates: t.links.noTemplates,
};

/** Says in a menu of tags, folders, domains or templates why it has none. */
export function CatalogueNote({ kind }: { kind: Kind }) {
  const list = catalogue.value[kind];
  if (list?.length) return null;
  if (list) return <MenuNote>{EMPTY[kind]}</MenuNote>;
  return <MenuNote>{hasFailed(kind) ? t.links.notLoaded : t.loading}</MenuNote>;
}
