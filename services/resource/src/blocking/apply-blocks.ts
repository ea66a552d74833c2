import type { EventContext } from '@waymark/contract/event';
import type { SkipItem } from '@waymark/kernel/async/run-periodically';
import type { Database } from '@waymark/kernel/mongo/database';
import type { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Verdicts } from '../destinations/destination-checker.js';
import type { DestinationRules } from '../links/admit-destinations.js';
import { blockFor } from '../links/block-for.js';
import type { Block } from '../links/block.js';
import type { SaveContext } from '../links/context.js';
import { changeTimeAfter, type Link } from '../links/link.js';
import type { SweptLink } from '../links/link-store.js';
import { saveLinks } from '../links/save-links.js';

export interface BlockContext extends SaveContext {
  db: Database;
  /** Runs the changes of one workspace's content one after the other. */
  changes: KeyedLimit;
  destinationRules: DestinationRules;
}

/** Links that change in one transaction. */
const LINKS_AT_ONCE = 50;

/**
 * Blocks and unblocks these links by their destinations. A link that cannot be changed stops no other one.
 * @returns the number of links that changed
 */
export async function applyBlocks(
  ctx: BlockContext,
  { links, verdicts }: { links: readonly SweptLink[]; verdicts: Verdicts | null },
  skipItem: SkipItem,
): Promise<number> {
  const { blocked } = ctx.destinationRules;
  const causes = { reasonFor: (url: string) => blocked.reasonFor(url), verdicts };
  const changing = links.filter((link) => blockFor(link, causes) !== undefined);
  const byWorkspace = Map.groupBy(changing, ({ workspace }) => workspace);
  let changedCount = 0;
  for (const [workspace, changed] of byWorkspace) {
    for (let start = 0; start < changed.length; start += LINKS_AT_ONCE) {
      const ids = changed.slice(start, start + LINKS_AT_ONCE).map(({ _id }) => _id);
      try {
        changedCount += await changeBlocks(ctx, { workspace, ids }, (link) => blockFor(link, causes));
      } catch (error) {
        skipItem(error, { workspace, ids }, 'links could not be blocked or unblocked');
      }
    }
  }
  return changedCount;
}

/** Reads the links again in the transaction: they may have changed since. */
async function changeBlocks(
  ctx: BlockContext,
  { workspace, ids }: { workspace: string; ids: string[] },
  decide: (link: Link) => Block | null | undefined,
): Promise<number> {
  const change = () =>
    ctx.db.transaction(async (tx) => {
      const links = await ctx.links.findLinks(workspace, ids, tx.session);
      const changes = links.flatMap((before) => {
        const block = decide(before);
        if (block === undefined) return [];
        // The checker may know more of a destination that has just left the list.
        const mark = block === null && ctx.destinationRules.checker ? { checkPending: true } : {};
        return [{ before, after: { ...withBlock(before, block), ...mark } }];
      });
      const owner = { slug: workspace, plan: { activeLinks: null } };
      const event: EventContext = { workspace };
      if (changes.length > 0) await saveLinks(ctx, tx, { owner, event, changes });
      return changes.length;
    });
  return ctx.changes.run(workspace, change);
}

export const withBlock = (link: Link, blocked: Block | null): Link => ({
  ...link,
  blocked,
  updatedAt: changeTimeAfter(link),
  revision: link.revision + 1,
});
