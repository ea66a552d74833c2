import type { EventContext } from '@waymark/contract/event';
import { newId } from '@waymark/contract/ids';
import { DEFAULT_QUERY_POLICY } from '@waymark/contract/links';
import { invalid } from '@waymark/kernel/errors';
import type { ResourceContext } from '../context.js';
import { openCounts } from '../quota/count-statuses.js';
import type { Owner } from '../quota/owner.js';
import { applyInput, checkLink, type LinkInput } from './apply-input.js';
import { NO_UTM, type Link, type TaggedLink } from './link.js';
import { readNamed, referenceProblems, tagged, type Named } from './references.js';
import { saveLink, type Author, refusedCode, ShortCodeTaken } from './save-link.js';
import { newShortCode } from './short-code.js';

const CODES_TRIED_MAX = 5;

export type CreateInput = LinkInput & { destination_url: string };

/** @throws AppError `validation_failed` by field, or with the exhausted quota */
export async function createLink(
  ctx: ResourceContext,
  event: EventContext,
  owner: Owner,
  input: CreateInput,
): Promise<TaggedLink> {
  const problems = await referenceProblems(ctx, owner.slug, input);
  if (Object.keys(problems).length > 0) throw invalid(problems);
  await openCounts(ctx.counts, owner, input.status ?? 'active');
  for (let tried = 1; ; tried += 1) {
    const shortCode = input.short_code ?? newShortCode();
    try {
      return await ctx.changes.run(owner.slug, () => insert(ctx, event, owner, { ...input, short_code: shortCode }));
    } catch (error) {
      if (!(error instanceof ShortCodeTaken)) throw error;
      if (input.short_code !== undefined) throw refusedCode(error);
      if (tried === CODES_TRIED_MAX) throw new Error(`no free short code among ${CODES_TRIED_MAX}`, { cause: error });
    }
  }
}

function insert(ctx: ResourceContext, event: EventContext, owner: Owner, input: CreateInput): Promise<TaggedLink> {
  return ctx.db.transaction(async (tx) => {
    const named = await readNamed(ctx, owner.slug, input, tx.session);
    const after = newLink(ctx, { owner, event }, input, named);
    checkLink(null, after);
    await saveLink(ctx, tx, { owner, event, before: null, after });
    return tagged(ctx, owner.slug, after, tx.session);
  });
}

export function newLink(ctx: ResourceContext, { owner, event }: Author, input: CreateInput, named: Named): Link {
  const link = applyInput(blankLink(ctx, owner.slug, event), input, named);
  return { ...link, createdAt: link.updatedAt };
}

/** Returns the blank link to which an input is applied for the first revision. */
function blankLink({ kind }: ResourceContext, workspace: string, event: EventContext): Link {
  const now = new Date();
  return {
    _id: newId(kind.idPrefix),
    workspace,
    domainId: null,
    hostname: null,
    shortCode: '',
    formerCodes: [],
    codeKeys: [],
    title: null,
    destinationUrl: '',
    campaignTag: null,
    utmDefaults: NO_UTM,
    queryPolicy: DEFAULT_QUERY_POLICY,
    folderId: null,
    tagIds: [],
    style: kind.style,
    status: 'active',
    scansCount: 0,
    lastScannedAt: null,
    createdBy: event.actor?.id ?? null,
    archivedAt: null,
    createdAt: now,
    updatedAt: now,
    revision: 0,
    titleKey: '',
    words: [],
  };
}
