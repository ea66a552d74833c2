import type { ClientSession } from 'mongoose';
import type { UtmDefaults } from '@waymark/shared/contract/links';
import { invalid } from '@waymark/shared/kernel/errors';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';
import type { ResourceContext } from '../context.js';
import type { Domain } from '../domains/domain-store.js';
import { knowDomain } from '../domains/know-domain.js';
import type { Tag } from '../tags/tag.js';
import { utmOf } from '../utm-templates/utm-template.js';
import type { Link } from './link.js';

/** What a body names by its id. */
export interface NamedIds {
  domain_id?: string | null;
  folder_id?: string | null;
  utm_template_id?: string | null;
  tag_ids?: string[] | null;
}

const unknown = (field: string) => ({ [field]: [`The ${field} names nothing of this workspace.`] });

/** Every id that names nothing of this workspace, by field. */
export async function referenceProblems(
  ctx: ResourceContext,
  workspace: string,
  ids: NamedIds,
): Promise<FieldProblems> {
  const [domain, folder, template, tags] = await Promise.all([
    ids.domain_id ? knowDomain(ctx, workspace, ids.domain_id) : true,
    ids.folder_id ? ctx.folders.byId(workspace, ids.folder_id) : true,
    ids.utm_template_id ? ctx.utmTemplates.byId(workspace, ids.utm_template_id) : true,
    ids.tag_ids ? ctx.tags.byIds(workspace, ids.tag_ids) : [],
  ]);
  return {
    ...(!domain && { domain_id: ['The domain_id names no verified domain of this workspace.'] }),
    ...(!folder && unknown('folder_id')),
    ...(!template && unknown('utm_template_id')),
    ...(tags.length < new Set(ids.tag_ids).size && unknown('tag_ids')),
  };
}

export interface Named {
  /** `undefined` where the body does not name one. */
  domain: Domain | null | undefined;
  templateValues: Partial<UtmDefaults>;
}

/** What the body names, as the transaction sees it. */
export async function readNamed(
  ctx: ResourceContext,
  workspace: string,
  { domain_id: domainId, utm_template_id: templateId }: NamedIds,
  session: ClientSession,
): Promise<Named> {
  const domain = domainId == null ? domainId : await ctx.domains.byId(workspace, domainId, session);
  const template = templateId ? await ctx.utmTemplates.byId(workspace, templateId, session) : null;
  if (templateId && !template) throw invalid(unknown('utm_template_id'));
  if (domainId && !domain) throw invalid(unknown('domain_id'));
  const set = Object.entries(template ? utmOf(template) : {}).filter(([, value]) => value !== null);
  return { domain, templateValues: Object.fromEntries(set) };
}

/**
 * Counts the link where it comes to and where it goes from. Each count is a write to what is referred to, so it can't be
 * deleted in the same moment.
 */
export async function moveReferences(
  ctx: ResourceContext,
  workspace: string,
  before: Link | null,
  after: Link | null,
  session: ClientSession,
): Promise<void> {
  const problems: FieldProblems = {};
  const move = async (
    field: string,
    holder: { count(workspace: string, id: string, by: 1 | -1, session: ClientSession): Promise<boolean> },
    from: string[],
    to: string[],
  ) => {
    // In one order: two changes that count in the same places do not lock each other out.
    const moves = [
      ...to.filter((id) => !from.includes(id)).map((id) => [id, 1] as const),
      ...from.filter((id) => !to.includes(id)).map((id) => [id, -1] as const),
    ].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [id, by] of moves) {
      const found = await holder.count(workspace, id, by, session);
      if (!found && by === 1) Object.assign(problems, unknown(field));
    }
  };
  await move('domain_id', ctx.domains, one(before?.domainId), one(after?.domainId));
  await move('folder_id', ctx.folders, one(before?.folderId), one(after?.folderId));
  await move('tag_ids', ctx.tags, before?.tagIds ?? [], after?.tagIds ?? []);
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

const one = (id: string | null | undefined): string[] => (id ? [id] : []);

/** The tags of these links that there are, by link in the links' order. */
export async function tagsOf(
  ctx: ResourceContext,
  workspace: string,
  links: Link[],
  session?: ClientSession,
): Promise<Tag[][]> {
  const ids = [...new Set(links.flatMap(({ tagIds }) => tagIds))];
  const tags = new Map((await ctx.tags.byIds(workspace, ids, session)).map((tag) => [tag._id, tag]));
  return links.map(({ tagIds }) => tagIds.flatMap((id) => tags.get(id) ?? []));
}
