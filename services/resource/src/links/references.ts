import type { ClientSession } from 'mongoose';
import type { UtmDefaults } from '@waymark/contract/links';
import { doesNotExist, domainUnusable, type FieldProblems } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import type { Change } from './change.js';
import type { ReferenceContext, SaveContext, TagContext } from './context.js';
import { utmOf, type Link, type ListedLink, type TaggedLink } from './link.js';
import type { LinkCountChange, LinkDomain } from './ports.js';

/** The ids that a body refers to. */
export interface ReferenceIds {
  domain_id?: string | null;
  folder_id?: string | null;
  utm_template_id?: string | null;
  tag_ids?: string[] | null;
}

/** The items that a body refers to. */
export interface References {
  /** `undefined` if the body has no `domain_id`. */
  domain: LinkDomain | null | undefined;
  templateValues: Partial<UtmDefaults>;
}

/** Returns the problems of ids that do not exist in this workspace, by field, for each body. */
export async function referenceProblems(
  ctx: ReferenceContext,
  workspace: string,
  bodies: ReferenceIds[],
): Promise<FieldProblems[]> {
  const [domains, folders, templates, tags] = await Promise.all([
    findUsableDomains(ctx, workspace, idsIn(bodies, 'domain_id')),
    ctx.folders.findItems(workspace, idsIn(bodies, 'folder_id')).then(idSet),
    ctx.utmTemplates.findItems(workspace, idsIn(bodies, 'utm_template_id')).then(idSet),
    ctx.tags.findItems(workspace, [...new Set(bodies.flatMap(({ tag_ids }) => tag_ids ?? []))]).then(idSet),
  ]);
  const isMissing = (id: string | null | undefined, existing: Set<string>) => Boolean(id) && !existing.has(id!);
  return bodies.map((body) => ({
    ...(isMissing(body.domain_id, domains) && {
      domain_id: [domainUnusable()],
    }),
    ...(isMissing(body.folder_id, folders) && unknownIds('folder_id')),
    ...(isMissing(body.utm_template_id, templates) && unknownIds('utm_template_id')),
    ...missingTags(body, tags),
  }));
}

/** Reads the domain and template of each body, as the transaction sees them. */
export async function readReferences(
  ctx: Pick<ReferenceContext, 'domains' | 'utmTemplates'>,
  { workspace, bodies }: { workspace: string; bodies: ReferenceIds[] },
  session: ClientSession,
): Promise<References[]> {
  const domains = byId(await ctx.domains.findDomains(workspace, idsIn(bodies, 'domain_id'), session));
  const templates = byId(await ctx.utmTemplates.findItems(workspace, idsIn(bodies, 'utm_template_id'), session));
  return bodies.map(({ domain_id: domainId, utm_template_id: templateId }) => {
    const domain = domainId == null ? domainId : domains.get(domainId);
    const template = templateId ? templates.get(templateId) : null;
    if (templateId && !template) throw invalid(unknownIds('utm_template_id'));
    if (domainId && !domain) throw invalid(unknownIds('domain_id'));
    const values = Object.entries(template ? utmOf(template) : {}).filter(([, value]) => value !== null);
    return { domain, templateValues: Object.fromEntries(values) };
  });
}

/**
 * Updates the link counts of added and removed references. Each count writes the domain, folder or tag, so that a
 * concurrent transaction cannot delete it.
 */
export async function updateLinkCounts(
  ctx: Pick<SaveContext, 'domains' | 'folders' | 'tags'>,
  { workspace, changes }: { workspace: string; changes: readonly Change[] },
  session: ClientSession,
): Promise<void> {
  const problems: FieldProblems = {};
  const counted = [
    { field: 'domain_id', store: ctx.domains, idsOf: (link: Link | null) => listOf(link?.domainId) },
    { field: 'folder_id', store: ctx.folders, idsOf: (link: Link | null) => listOf(link?.folderId) },
    { field: 'tag_ids', store: ctx.tags, idsOf: (link: Link | null) => link?.tagIds ?? [] },
  ];
  for (const { field, store, idsOf } of counted) {
    for (const [id, difference] of countDifferences(changes, idsOf)) {
      const change: LinkCountChange = { workspace, id, difference };
      const isCounted = await store.countLinks(change, session);
      if (!isCounted && difference > 0) Object.assign(problems, unknownIds(field, [id]));
    }
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Returns the differences in a fixed order, so that transactions that count in the same rows do not deadlock. */
function countDifferences(changes: readonly Change[], idsOf: (link: Link | null) => string[]): [string, number][] {
  const added = new Map<string, number>();
  const removed = new Map<string, number>();
  for (const { before, after } of changes) {
    const [oldIds, newIds] = [idsOf(before), idsOf(after)];
    for (const id of newIds.filter((each) => !oldIds.includes(each))) added.set(id, (added.get(id) ?? 0) + 1);
    for (const id of oldIds.filter((each) => !newIds.includes(each))) removed.set(id, (removed.get(id) ?? 0) - 1);
  }
  return [...added, ...removed].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns the link with its existing folder and tags. */
export async function withTags<L extends ListedLink>(
  ctx: TagContext,
  link: L,
  session?: ClientSession,
): Promise<TaggedLink<L>> {
  const [tagged] = await allWithTags(ctx, [link], session);
  return tagged!;
}

/** The same for several links of one workspace, in their order. */
export async function allWithTags<L extends ListedLink>(
  ctx: TagContext,
  links: L[],
  session?: ClientSession,
): Promise<TaggedLink<L>[]> {
  const [first] = links;
  if (!first) return [];
  const { workspace } = first;
  const folderIds = [...new Set(links.flatMap(({ folderId }) => listOf(folderId)))];
  const folders = idSet(await ctx.folders.findItems(workspace, folderIds, session));
  const tagIds = [...new Set(links.flatMap((link) => link.tagIds))];
  const tags = byId(await ctx.tags.findItems(workspace, tagIds, session));
  return links.map((link) => ({
    link: link.folderId === null || folders.has(link.folderId) ? link : { ...link, folderId: null },
    tags: link.tagIds.flatMap((id) => tags.get(id) ?? []),
  }));
}

async function findUsableDomains(ctx: ReferenceContext, workspace: string, ids: string[]): Promise<Set<string>> {
  const usable = new Set<string>();
  for (const id of ids) if (await ctx.ensureDomainUsable(workspace, id)) usable.add(id);
  return usable;
}

function missingTags({ tag_ids: ids }: ReferenceIds, tags: Set<string>): FieldProblems {
  const missing = (ids ?? []).filter((id) => !tags.has(id));
  return missing.length > 0 ? unknownIds('tag_ids', missing) : {};
}

function unknownIds(field: string, ids: string[] = []): FieldProblems {
  return { [field]: [doesNotExist(field, ids)] };
}

function idsIn(bodies: ReferenceIds[], field: 'domain_id' | 'folder_id' | 'utm_template_id'): string[] {
  return [...new Set(bodies.flatMap((body) => body[field] || []))];
}

const listOf = (id: string | null | undefined): string[] => (id ? [id] : []);

const idSet = (items: { _id: string }[]): Set<string> => new Set(items.map(({ _id }) => _id));

const byId = <T extends { _id: string }>(items: T[]): Map<string, T> => new Map(items.map((item) => [item._id, item]));
