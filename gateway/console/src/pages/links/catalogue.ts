import { computed, signal } from '@preact/signals';
import { listDomains, listFolders, listTags, listTemplates } from '../../api/organize.js';
import { readableHost } from '../../format/host-names.js';
import { can, workspace } from '../../app/session.js';

interface Named {
  id: string;
  name: string;
}
export interface Catalogue {
  tags: (Named & { color: string | null })[];
  folders: Named[];
  domains: Named[];
  templates: Named[];
}
export type Kind = keyof Catalogue;

/** Tags, folders, domains and templates by workspace: loaded when first needed, and again after a change. */
const cache = signal<Record<string, Partial<Catalogue>>>({});
const pending = new Set<string>();
/** The lists whose last attempt failed, by workspace and kind. */
const failed = signal<ReadonlySet<string>>(new Set());

export const catalogue = computed<Partial<Catalogue>>(() => cache.value[workspace.value] ?? {});

const ROUTES: Record<Kind, string> = {
  tags: 'tags.list',
  folders: 'folders.list',
  domains: 'domains.list',
  templates: 'utm_templates.list',
};
export const hasCatalogue = (kind: Kind): boolean => can(ROUTES[kind]);

const loaders: { [K in Kind]: (slug: string) => Promise<Catalogue[K]> } = {
  tags: listTags,
  folders: listFolders,
  templates: listTemplates,
  domains: async (slug) =>
    (await listDomains(slug))
      .filter(({ status }) => status === 'verified' || status === 'degraded')
      .map(({ id, hostname }) => ({ id, name: readableHost(hostname) })),
};

/** Loads a list once; a failed attempt is repeated by the next call. */
export async function ensure(kind: Kind): Promise<void> {
  const slug = workspace.value;
  const key = `${slug} ${kind}`;
  if (!hasCatalogue(kind) || cache.peek()[slug]?.[kind] || pending.has(key)) return;
  pending.add(key);
  setFailed(key, false);
  try {
    const list = await loaders[kind](slug);
    cache.value = { ...cache.peek(), [slug]: { ...cache.peek()[slug], [kind]: list } };
  } catch {
    // The menu says so; opening it again tries again.
    setFailed(key, true);
  } finally {
    pending.delete(key);
  }
}

/** Adds what was created here, so that it can be chosen at once. */
export function addToCatalogue<K extends Kind>(kind: K, item: Catalogue[K][number]): void {
  const slug = workspace.value;
  const known = cache.peek()[slug] ?? {};
  cache.value = { ...cache.peek(), [slug]: { ...known, [kind]: [...(known[kind] ?? []), item] } };
}

function setFailed(key: string, isFailed: boolean): void {
  const next = new Set(failed.peek());
  next[isFailed ? 'add' : 'delete'](key);
  failed.value = next;
}

export const hasFailed = (kind: Kind): boolean => failed.value.has(`${workspace.value} ${kind}`);

export const nameOf = (kind: Kind, id: string): string =>
  catalogue.value[kind]?.find((each) => each.id === id)?.name ?? id;

/** Called when a list has changed elsewhere. */
export const forgetCatalogue = (): void => void (cache.value = {});
