import { rangeProblems } from '@waymark/contract/date-or-time';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { KeyedSemaphore, LIST_CONCURRENCY } from '@waymark/kernel/async/keyed-semaphore';
import type { Checks, Handlers } from '@waymark/kernel/http/api';
import { created, cursorPage, item, type Reply } from '@waymark/kernel/http/reply';
import { isPending, presentConversion } from './conversion.js';
import { recordConversion, type ConversionContext, type RecordOutcome } from './record-conversion.js';

type Names = 'conversions.list' | 'conversions.record';

export const conversionChecks: Pick<Checks<'analytics'>, Names> = {
  'conversions.list': ({ query: { from, to } }) => rangeProblems({ from, to }),
};

export function conversionHandlers(ctx: ConversionContext): Pick<Handlers<'analytics'>, Names> {
  const lists = new KeyedSemaphore(LIST_CONCURRENCY);
  return {
    'conversions.list': async ({ query, workspace, url }) => {
      const requested = { page: query.page, perPage: query.per_page, cursor: query.cursor };
      const found = await lists.run(workspace.slug, () =>
        ctx.conversions.listConversions(workspace.slug, query, requested),
      );
      const items: ReturnType<typeof presentConversion>[] = [];
      // Each may have metadata of a thousand names.
      for await (const conversion of yieldingToEventLoop(found.items)) items.push(presentConversion(conversion));
      return cursorPage({ ...found, items }, requested, url);
    },
    'conversions.record': ({ body, workspace, eventContext, once }) =>
      once(present, () => recordConversion(ctx, eventContext, { workspace: workspace.slug, input: body })),
  };
}

function present({ conversion, isNew }: RecordOutcome): Reply {
  const body = presentConversion(conversion);
  if (isPending(conversion)) return { ...item(body), status: 202 };
  return isNew ? created(body, null) : { ...item(body), status: 200 };
}
