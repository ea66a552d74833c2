import type { QrImageFormat } from '@waymark/shared/contract/qr-images';
import type { QrStyle } from '@waymark/shared/contract/qr-style';
import type { Turnstile } from '@waymark/shared/kernel/turnstile';
import { drawPng, drawPngWithLogo } from './draw-png.js';
import { drawSvg } from './draw-svg.js';
import { layoutOfModules, layoutOfPixels } from './layout.js';
import { encodeQr } from './qr-matrix.js';

export interface QrImage {
  /** What a scanner reads. */
  text: string;
  style: QrStyle;
  format: QrImageFormat;
  /** Pixels a side. */
  size: number;
}

/**
 * Pictures with a logo take the most memory and time: they pass the turnstile.
 * @throws AppError `validation_failed` for a size with less than a pixel a module
 */
export async function drawQrImage({ text, style, format, size }: QrImage, logos: Turnstile): Promise<string | Buffer> {
  const hasLogo = style.logo_url !== null;
  const matrix = encodeQr(text, style.error_correction, hasLogo);
  if (format === 'svg') return drawSvg(matrix, style, layoutOfModules(matrix.side, style.margin), size);
  const layout = layoutOfPixels(matrix.side, style.margin, size);
  return hasLogo ? logos.pass(() => drawPngWithLogo(matrix, style, layout)) : drawPng(matrix, style, layout);
}
