import { Resvg } from '@resvg/resvg-js';

const COLOURS = '<linearGradient id="g"><stop stop-color="#d21"/><stop offset="1" stop-color="#1a6"/></linearGradient>';

/** A PNG with any number of colours that fills its whole area: the worst a logo can do to a code. */
export function pngLogo(width: number, height = width): string {
  return asPng(width, height, `${COLOURS}<rect width="${width}" height="${height}" fill="url(#g)"/>`);
}

/** Every pixel of it is transparent. */
export const CLEAR_LOGO = asPng(16, 16, '');

function asPng(width: number, height: number, content: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`;
  return `data:image/png;base64,${new Resvg(svg).render().asPng().toString('base64')}`;
}

/** Eight by eight pixels of one grey: a quantisation table of ones, a frame, two Huffman tables of one code each, a scan. */
export const JPEG_LOGO = `data:image/jpeg;base64,${Buffer.from(
  [
    `ffd8ffdb004300${'01'.repeat(64)}`,
    'ffc0000b080008000801011100',
    `ffc400140001${'00'.repeat(15)}08ffc400141001${'00'.repeat(15)}00`,
    'ffda0008010100003f000fbfffd9',
  ].join(''),
  'hex',
).toString('base64')}`;
