import type { Handlers } from '@waymark/shared/kernel/http/api';
import { created, item, type Reply } from '@waymark/shared/kernel/http/reply';
import { presentConversion } from './conversion.js';
import { recordConversion, type ConversionContext, type RecordedConversion } from './record-conversion.js';

export function conversionHandlers(ctx: ConversionContext): Pick<Handlers<'analytics'>, 'conversions.record'> {
  return {
    'conversions.record': ({ body, workspace, eventContext, once }) =>
      once(present, () => recordConversion(ctx, eventContext, workspace.slug, body)),
  };
}

function present({ conversion, isNew }: RecordedConversion): Reply {
  const body = presentConversion(conversion);
  return isNew ? created(body, null) : { ...item(body), status: 200 };
}
