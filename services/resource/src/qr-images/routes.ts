import { DEFAULT_QR_STYLE, qrStyleProblems, readLogo, type QrStyle } from '@waymark/contract/qr-style';
import { invalid, missing } from '@waymark/kernel/errors';
import type { Checks, Handlers } from '@waymark/kernel/http/api';
import type { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { ResourceConfig } from '../config.js';
import { qrTriggerUrl, shortUrl } from '../links/link.js';
import type { LinkStore } from '../links/link-store.js';
import type { RunDrawing } from './draw-qr-image.js';
import { sendQrImage } from './send-qr-image.js';

type Routes = 'links.qr' | 'qr_codes.image';

interface QrImageContext {
  config: Pick<ResourceConfig, 'SHORT_BASE_URL'>;
  links: LinkStore;
  /** Bounds the drawings with a logo. */
  logoDrawings: KeyedLimit;
}

export const qrImageChecks: Pick<Checks<'resource'>, 'links.qr'> = {
  'links.qr': ({ query }) => qrStyleProblems({ ...DEFAULT_QR_STYLE, ...query }),
};

export function qrImageHandlers(ctx: QrImageContext): Pick<Handlers<'resource'>, Routes> {
  const runFor =
    (workspace: string): RunDrawing =>
    (draw) =>
      ctx.logoDrawings.run(workspace, draw);
  return {
    'links.qr': async ({ params, query, workspace, isKnown }) => {
      const link = await ctx.links.findLink(workspace.slug, params['id']!);
      if (!link) throw missing('link', params['id']!);
      const { format, size, ...style } = query;
      const image = {
        text: qrTriggerUrl(link, ctx.config.SHORT_BASE_URL),
        style: { ...style, logo_url: null },
        format,
        size,
      };
      return sendQrImage({ ...image, name: `qr-${link.shortCode}` }, runFor(workspace.slug), isKnown);
    },
    'qr_codes.image': async ({ params, query, workspace, isKnown }) => {
      const qrCode = await ctx.links.findLink(workspace.slug, params['id']!);
      if (!qrCode) throw missing('QR code', params['id']!);
      const { format, size, ...tried } = query;
      const style = { ...drawable(qrCode.style ?? DEFAULT_QR_STYLE), ...tried };
      if (Object.keys(tried).length > 0) checkStyle(style);
      const image = { text: shortUrl(qrCode, ctx.config.SHORT_BASE_URL), style, format, size };
      return sendQrImage({ ...image, name: `qr-${qrCode.shortCode}` }, runFor(workspace.slug), isKnown);
    },
  };
}

/** @throws AppError `validation_failed` if a scanner could not read the code */
function checkStyle(style: QrStyle): void {
  const problems = qrStyleProblems(style);
  if (problems.foreground) throw invalid({ foreground: problems.foreground });
}

/** Omits a logo that an earlier version stored and that is refused now, since it takes seconds to draw. */
const drawable = (style: QrStyle): QrStyle =>
  style.logo_url !== null && !readLogo(style.logo_url) ? { ...style, logo_url: null } : style;
