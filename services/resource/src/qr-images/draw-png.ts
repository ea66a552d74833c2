import { renderAsync } from '@resvg/resvg-js';
import type { QrStyle } from '@waymark/contract/qr-style';
import { drawSvg } from './draw-svg.js';
import { encodePng } from './encode-png.js';
import type { Layout } from './layout.js';
import type { QrMatrix } from './qr-matrix.js';

/** Draws two colours, with one bit per pixel. */
export function drawPng(matrix: QrMatrix, style: QrStyle, layout: Layout): Promise<Buffer> {
  const palette = Buffer.from(style.background.slice(1) + style.foreground.slice(1), 'hex');
  return encodePng({ side: layout.side, pixels: bitsOf(matrix, layout), palette });
}

export const RENDERING = { font: { loadSystemFonts: false }, logLevel: 'off' } as const;

/** Renders the SVG, since a logo has any number of colours. The renderer's own encoder would block the event loop. */
export async function drawPngWithLogo(matrix: QrMatrix, style: QrStyle, layout: Layout): Promise<Buffer> {
  const { pixels } = await renderAsync(drawSvg(matrix, style, { ...layout, size: layout.side }), RENDERING);
  return encodePng({ side: layout.side, pixels });
}

function bitsOf({ side: modules, isDark }: QrMatrix, { side, origin, scale }: Layout): Buffer {
  const width = Math.ceil(side / 8);
  const pixels = Buffer.alloc(width * side);
  for (let y = 0; y < modules; y += 1) {
    const row = Buffer.alloc(width);
    for (let x = 0; x < modules; x += 1) {
      if (isDark(x, y)) setBits(row, origin + x * scale, scale);
    }
    for (let line = 0; line < scale; line += 1) row.copy(pixels, (origin + y * scale + line) * width);
  }
  return pixels;
}

function setBits(row: Buffer, from: number, count: number): void {
  for (let column = from; column < from + count; column += 1) row[column >> 3]! |= 0x80 >> (column & 7);
}
