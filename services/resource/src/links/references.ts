import type { ClientSession } from 'mongoose';
import type { UtmDefaults } from '@waymark/contract/links';
import { invalid } from '@waymark/kernel/errors';
import type { FieldProblems } from '@waymark/kernel/http/input';
import type { ResourceContext } from '../context.js';
import type { Domain } from '../domains/domain-store.js';
import { knowDomain } from '../domains/know-domain.js';
import { utmOf } from '../utm-templates/utm-template.js';
import type { Link, TaggedLink } from './link.js';
import type { Change } from './save-link.js';

/** The ids that a body refers to. */
export interface NamedIds {
  domain_id?: string | null;
  folder_id?: string | null;
  utm_template_id?: string | null;
  tag_ids?: string[] | null;
}

const IDS_NAMED_MAX = 5;

const unknown = (field: string, ids: string[] = []) => {
  const first = ids.slice(0, IDS_NAMED_MAX).join(', ');
  const more = ids.length > IDS_NAMED_MAX ? ` and ${ids.length - IDS_NAMED_MAX} more` : '';
  const subject = ids.length > 0 ? `${field} ${first}${more}` : field;
  return { [field]: [`The ${subject} ${ids.length > 1 ? 'do' : 'does'} not exist in this workspace.`] };
};

/** Returns the problems of ids that do not exist in this workspace, by field. */
export async function referenceProblems(
  ctx: ResourceContext,
  workspace: string,
  body: NamedIds,
): Promise<FieldProblems> {
  const [problems] = await referenceProblemsOf(ctx, workspace, [body]);
  return problems!;
}

/** The same for each of several bodies. */
export async function referenceProblemsOf(
  ctx: ResourceContext,
  workspace: string,
  bodies: NamedIds[],
): Promise<FieldProblems[]> {
  const [domains, folders, templates, tags] = await Promise.all([
    knownDomains(ctx, workspace, idsIn(bodies, 'domain_id')),
    ctx.folders.byIds(workspace, idsIn(bodies, 'folder_id')).then(idSet),
    ctx.utmTemplates.byIds(workspace, idsIn(bodies, 'utm_template_id')).then(idSet),
    ctx.tags.byIds(workspace, [...new Set(bodies.flatMap(({ tag_ids }) => tag_ids ?? []))]).then(idSet),
  ]);
  const isMissing = (id: string | null | undefined, among: Set<string>) => Boolean(id) && !among.has(id!);
  return bodies.map((body) => ({
    ...(isMissing(body.domain_id, domains) && {
      domain_id: ['The domain_id must be that of a verified domain of this workspace.'],
    }),
    ...(isMissing(body.folder_id, folders) && unknown('folder_id')),
    ...(isMissing(body.utm_template_id, templates) && unknown('utm_template_id')),
    ...missingTags(body, tags),
  }));
}

function missingTags({ tag_ids: ids }: NamedIds, tags: Set<string>): FieldProblems {
  const missing = (ids ?? []).filter((id) => !tags.has(id));
  return missing.length > 0 ? unknown('tag_ids', missing) : {};
}

function idsIn(bodies: NamedIds[], field: 'domain_id' | 'folder_id' | 'utm_template_id'): string[] {
  return [...new Set(bodies.flatMap((body) => body[field] || []))];
}

const idSet = (items: { _id: string }[]): Set<string> => new Set(items.map(({ _id }) => _id));

async function knownDomains(ctx: ResourceContext, workspace: string, ids: string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const id of ids) if (await knowDomain(ctx, workspace, id)) known.add(id);
  return known;
}

export interface Named {
  /** `undefined` if the body has no `domain_id`. */
  domain: Domain | null | undefined;
  templateValues: Partial<UtmDefaults>;
}

/** Reads the domain and template of the body, as the transaction sees them. */
export async function readNamed(
  ctx: ResourceContext,
  workspace: string,
  body: NamedIds,
  session: ClientSession,
): Promise<Named> {
  const [named] = await readNamedOf(ctx, workspace, [body], session);
  return named!;
}

/** The same for each of several bodies. */
export async function readNamedOf(
  ctx: ResourceContext,
  workspace: string,
  bodies: NamedIds[],
  session?: ClientSession,
): Promise<Named[]> {
  const domains = byId(await ctx.domains.byIds(workspace, idsIn(bodies, 'domain_id'), session));
  const templates = byId(await ctx.utmTemplates.byIds(workspace, idsIn(bodies, 'utm_template_id'), session));
  return bodies.map(({ domain_id: domainId, utm_template_id: templateId }) => {
    const domain = domainId == null ? domainId : domains.get(domainId);
    const template = templateId ? templates.get(templateId) : null;
    if (templateId && !template) throw invalid(unknown('utm_template_id'));
    if (domainId && !domain) throw invalid(unknown('domain_id'));
    const set = Object.entries(template ? utmOf(template) : {}).filter(([, value]) => value !== null);
    return { domain, templateValues: Object.fromEntries(set) };
  });
}

const byId = <T extends { _id: string }>(items: T[]): Map<string, T> => new Map(items.map((item) => [item._id, item]));

/** A store of containers that count their links. */
interface Countable {
  countLinks(workspace: string, id: string, by: number, session: ClientSession): Promise<boolean>;
}

/**
 * Updates the link counts of added and removed references. Each count writes the domain, folder or tag, so that a
 * concurrent transaction cannot delete it.
 */
export async function moveReferences(
  ctx: ResourceContext,
  workspace: string,
  changes: readonly Change[],
  session: ClientSession,
): Promise<void> {
  const problems: FieldProblems = {};
  const move = async (field: string, holder: Countable, idsOf: (link: Link | null) => string[]) => {
    for (const [id, by] of movesOf(changes, idsOf)) {
      const found = await holder.countLinks(workspace, id, by, session);
      if (!found && by > 0) Object.assign(problems, unknown(field, [id]));
    }
  };
  await move('domain_id', ctx.domains, (link) => one(link?.domainId));
  await move('folder_id', ctx.folders, (link) => one(link?.folderId));
  await move('tag_ids', ctx.tags, (link) => link?.tagIds ?? []);
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Returns the changes in a fixed order, so that transactions that count in the same rows do not deadlock. */
function movesOf(changes: readonly Change[], idsOf: (link: Link | null) => string[]): [string, number][] {
  const coming = new Map<string, number>();
  const going = new Map<string, number>();
  for (const { before, after } of changes) {
    const [from, to] = [idsOf(before), idsOf(after)];
    for (const id of to.filter((each) => !from.includes(each))) coming.set(id, (coming.get(id) ?? 0) + 1);
    for (const id of from.filter((each) => !to.includes(each))) going.set(id, (going.get(id) ?? 0) - 1);
  }
  return [...coming, ...going].sort(([a], [b]) => (a < b ? -1 : 1));
}

const one = (id: string | null | undefined): string[] => (id ? [id] : []);

export async function tagged(
  ctx: ResourceContext,
  workspace: string,
  link: Link,
  session?: ClientSession,
): Promise<TaggedLink> {
  const [shown] = await allTagged(ctx, workspace, [link], session);
  return shown!;
}

/** The same for several links, in their order. */
export async function allTagged(
  ctx: ResourceContext,
  workspace: string,
  links: Link[],
  session?: ClientSession,
): Promise<TaggedLink[]> {
  const idsOf = (list: (link: Link) => string[]) => [...new Set(links.flatMap(list))];
  const folderIds = idsOf(({ folderId }) => one(folderId));
  const folders = idSet(await ctx.folders.byIds(workspace, folderIds, session));
  const tags = byId(
    await ctx.tags.byIds(
      workspace,
      idsOf(({ tagIds }) => tagIds),
      session,
    ),
  );
  return links.map((link) => ({
    link: link.folderId === null || folders.has(link.folderId) ? link : { ...link, folderId: null },
    tags: link.tagIds.flatMap((id) => tags.get(id) ?? []),
  }));
}
