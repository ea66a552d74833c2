import type { QrImageFormat } from '@waymark/contract/qr-images';
import type { QrStyle } from '@waymark/contract/qr-style';
import { drawPng, drawPngWithLogo } from './draw-png.js';
import { drawSvg } from './draw-svg.js';
import { layoutOfModules, layoutOfPixels } from './layout.js';
import { encodeQr } from './qr-matrix.js';

export interface QrImage {
  /** The text that a scanner reads. */
  text: string;
  style: QrStyle;
  format: QrImageFormat;
  /** Pixels per side. */
  size: number;
}

/** Runs a drawing with a logo, which takes the most memory and time, once there is capacity for it. */
export type RunDrawing = <T>(draw: () => Promise<T>) => Promise<T>;

/**
 * @throws AppError `validation_failed` for a size with less than one pixel per module
 */
export async function drawQrImage({ text, style, format, size }: QrImage, run: RunDrawing): Promise<string | Buffer> {
  const hasLogo = style.logo_url !== null;
  const matrix = encodeQr(text, style.error_correction, hasLogo);
  if (format === 'svg') return drawSvg(matrix, style, { ...layoutOfModules(matrix.side, style.margin), size });
  const layout = layoutOfPixels(matrix.side, style.margin, size);
  return hasLogo ? run(() => drawPngWithLogo(matrix, style, layout)) : drawPng(matrix, style, layout);
}
