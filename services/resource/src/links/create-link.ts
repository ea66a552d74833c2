import type { EventContext } from '@waymark/contract/event';
import { newId } from '@waymark/contract/ids';
import type { Transaction } from '@waymark/kernel/mongo/database';
import type { Verdicts } from '../destinations/destination-checker.js';
import { admitDestinations, askChecker } from './admit-destinations.js';
import { applyInput, checkFieldRules, type LinkInput } from './apply-input.js';
import type { Author } from './change.js';
import type { ContentType } from './content-type.js';
import type { ChangeContext } from './context.js';
import { NO_UTM, type Link, type TaggedLink } from './link.js';
import { readReferences, type References } from './references.js';
import { runChange } from './run-change.js';
import { invalidCode, saveLinks, ShortCodeTaken } from './save-links.js';
import { newShortCode } from './short-code.js';
import { prepareStatusCounts } from './status-counts.js';

const CODE_ATTEMPTS_MAX = 5;

export type CreateInput = LinkInput & { destination_url: string };

/** @throws AppError `validation_failed` by field, or with the exhausted quota */
export async function createLink(ctx: ChangeContext, author: Author, input: CreateInput): Promise<TaggedLink> {
  const { owner, signal } = author;
  await prepareStatusCounts(ctx.counts, owner, input.status ?? 'active');
  const verdicts = await askChecker(ctx, [input]);
  for (let attempt = 1; ; attempt += 1) {
    const short_code = input.short_code ?? newShortCode();
    try {
      const insert = (tx: Transaction) => insertLink(ctx, tx, { ...author, input: { ...input, short_code }, verdicts });
      return await runChange(ctx, { workspace: owner.slug, signal }, insert);
    } catch (error) {
      if (!(error instanceof ShortCodeTaken)) throw error;
      if (input.short_code !== undefined) throw invalidCode(error);
      if (attempt === CODE_ATTEMPTS_MAX) {
        throw new Error(`no free short code among ${CODE_ATTEMPTS_MAX}`, { cause: error });
      }
    }
  }
}

async function insertLink(
  ctx: ChangeContext,
  tx: Transaction,
  { input, verdicts, ...author }: Author & { input: CreateInput; verdicts: Verdicts | null },
): Promise<TaggedLink> {
  const bodies = { workspace: author.owner.slug, bodies: [input] };
  const [references] = await readReferences(ctx, bodies, tx.session);
  const made = newLink(ctx.contentType, author, { input, references: references! });
  const after = admitDestinations(ctx, { before: null, after: made }, verdicts);
  checkFieldRules(null, after);
  const [shown] = await saveLinks(ctx, tx, { ...author, changes: [{ before: null, after }] });
  return shown!;
}

export function newLink(
  contentType: ContentType,
  { owner, event }: Author,
  { input, references }: { input: CreateInput; references: References },
): Link {
  const link = applyInput(blankLink(contentType, owner.slug, event), input, references);
  return { ...link, createdAt: link.updatedAt };
}

/** Returns the blank link to which an input is applied for the first revision. */
function blankLink(contentType: ContentType, workspace: string, event: EventContext): Link {
  return {
    _id: newId(contentType.idPrefix),
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
    folderId: null,
    tagIds: [],
    style: contentType.style,
    status: 'active',
    blocked: null,
    scansCount: 0,
    lastScannedAt: null,
    createdBy: event.actor?.id ?? null,
    archivedAt: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    revision: 0,
    titleKey: '',
    words: [],
  };
}
