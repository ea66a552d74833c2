import { DEFAULT_QR_STYLE, qrStyleProblems } from '@waymark/shared/contract/qr-style';
import { notFound } from '@waymark/shared/kernel/errors';
import type { Checks, Handlers } from '@waymark/shared/kernel/http/api';
import type { ResourceContext } from '../context.js';
import { qrTriggerUrl, shortUrl } from '../links/link.js';
import { sendQrImage } from './send-qr-image.js';

type Routes = 'links.qr' | 'qr_codes.image';

export const qrImageChecks: Pick<Checks<'resource'>, 'links.qr'> = {
  'links.qr': ({ query }) => qrStyleProblems({ ...DEFAULT_QR_STYLE, ...query }),
};

export function qrImageHandlers(ctx: ResourceContext): Pick<Handlers<'resource'>, Routes> {
  return {
    'links.qr': async ({ params, query, workspace }, response) => {
      const link = await ctx.links.byId(workspace.slug, params['id']!);
      if (!link) throw notFound();
      const { format, size, ...style } = query;
      const image = {
        text: qrTriggerUrl(link, ctx.config.SHORT_BASE_URL),
        style: { ...style, logo_url: null },
        format,
        size,
      };
      return sendQrImage(image, `qr-${link.shortCode}`, ctx.logos, response.req);
    },
    'qr_codes.image': async ({ params, query, workspace }, response) => {
      const qrCode = await ctx.links.byId(workspace.slug, params['id']!);
      if (!qrCode) throw notFound();
      const style = qrCode.style ?? DEFAULT_QR_STYLE;
      const image = { text: shortUrl(qrCode, ctx.config.SHORT_BASE_URL), style, ...query };
      return sendQrImage(image, `qr-${qrCode.shortCode}`, ctx.logos, response.req);
    },
  };
}
