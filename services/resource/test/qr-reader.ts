import { Resvg } from '@resvg/resvg-js';
import jsQR from 'jsqr';

/** Reads images of QR codes with libraries that have no part in drawing them. */

export interface Pixels {
  width: number;
  height: number;
  /** RGBA. */
  data: Uint8ClampedArray;
}

/** Rasterises an SVG or a PNG; the renderer takes a PNG as a picture within a drawing. */
export function rasterise(image: string | Buffer, width: number): Pixels {
  const svg = typeof image === 'string' ? image : svgAround(image, width);
  const drawn = new Resvg(svg, { font: { loadSystemFonts: false }, fitTo: { mode: 'width', value: width } }).render();
  return { width: drawn.width, height: drawn.height, data: new Uint8ClampedArray(drawn.pixels) };
}

/** Reads a code as a scanner does; only dark on light, like the strictest ones. */
export function readQr({ data, width, height }: Pixels): string | null {
  return jsQR(data, width, height, { inversionAttempts: 'dontInvert' })?.data ?? null;
}

/** The same for a user who varies the scanner's distance until it reads the code. */
export function readQrFromAnywhere(image: string | Buffer, width: number): string | null {
  for (const zoom of [1, 3, 2, 1 / 2, 1 / 4, 4, 3 / 2, 5 / 2, 3 / 4]) {
    const text = readQr(rasterise(image, Math.round(width * zoom)));
    if (text !== null) return text;
  }
  return null;
}

export function pixelAt({ data, width }: Pixels, x: number, y: number): string {
  const offset = (y * width + x) * 4;
  return `#${Buffer.from(data.subarray(offset, offset + 3)).toString('hex')}`;
}

export const widthOfPng = (png: Buffer): number => png.readUInt32BE(16);

function svgAround(png: Buffer, width: number): string {
  const href = `data:image/png;base64,${png.toString('base64')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${width}"><image width="${width}" height="${width}" href="${href}" image-rendering="optimizeSpeed"/></svg>`;
}
