import { rangeProblems } from '@waymark/contract/date-or-time';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Checks, Handlers } from '@waymark/kernel/http/api';
import { created, cursorPage, item, type Reply } from '@waymark/kernel/http/reply';
import { isPending, presentConversion } from './conversion.js';
import { recordConversion, type ConversionContext, type RecordOutcome } from './record-conversion.js';

/** Lists that may read a large part of a workspace: no workspace takes the database connections of the others. */
const LISTS = { total: 12, perKey: 3 };

type Names = 'conversions.list' | 'conversions.record';

export const conversionChecks: Pick<Checks<'analytics'>, Names> = {
  'conversions.list': ({ query: { from, to } }) => rangeProblems({ from, to }),
};

export function conversionHandlers(ctx: ConversionContext): Pick<Handlers<'analytics'>, Names> {
  const lists = new KeyedLimit(LISTS);
  return {
    'conversions.list': async ({ query, workspace, url, signal }) => {
      const requested = { page: query.page, perPage: query.per_page, cursor: query.cursor };
      // Presents within the turn: a page may take 7 MB, and each item may have metadata of a thousand names.
      const readPage = async () => {
        const page = await ctx.conversions.listConversions(workspace.slug, query, requested);
        const items: ReturnType<typeof presentConversion>[] = [];
        for await (const conversion of yieldingToEventLoop(page.items)) items.push(presentConversion(conversion));
        return { ...page, items };
      };
      const found = await lists.run(workspace.slug, readPage, signal);
      return cursorPage(found, requested, url);
    },
    'conversions.record': ({ body, workspace, eventContext, once }) =>
      once(() => recordConversion(ctx, eventContext, { workspace: workspace.slug, input: body }), present),
  };
}

function present({ conversion, isNew }: RecordOutcome): Reply {
  const body = presentConversion(conversion);
  if (isPending(conversion)) return { ...item(body), status: 202 };
  return isNew ? created(body, null) : { ...item(body), status: 200 };
}
