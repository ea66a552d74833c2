import { createHash } from 'node:crypto';
import { Resvg } from '@resvg/resvg-js';
import { encodePng } from '@waymark/resource/qr-images/encode-png';

const COLOURS = '<linearGradient id="g"><stop stop-color="#d21"/><stop offset="1" stop-color="#1a6"/></linearGradient>';

/** A PNG with many colours that fills its whole area: the worst case for reading the code. */
export function pngLogo(width: number, height = width): string {
  return asPng(width, height, `${COLOURS}<rect width="${width}" height="${height}" fill="url(#g)"/>`);
}

/** A logo with only transparent pixels. */
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

/** The same pixels as a progressive JPEG with this many scans; the last one adds nothing new. */
export function progressiveJpeg(scans: number, side = 8): string {
  const size = side.toString(16).padStart(4, '0').repeat(2);
  const hex = [
    `ffd8ffdb004300${'01'.repeat(64)}`,
    `ffc2000b08${size}01011100`,
    `ffc400140001${'00'.repeat(15)}08ffc400141001${'00'.repeat(15)}00`,
    'ffda00080101000000000fff00',
    'ffda00080101003f3f007f'.repeat(scans - 1),
    'ffd9',
  ].join('');
  return `data:image/jpeg;base64,${Buffer.from(hex, 'hex').toString('base64')}`;
}

/** A JPEG that seems to have the frame of `JPEG_LOGO`: decoders skip what is no segment, and find another picture inside. */
export function jpegWithHidden(logo: string): string {
  const bytes = Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length + 2);
  const frame = Buffer.from('ffc0000b080008000801011100ffd9', 'hex');
  const all = Buffer.concat([Buffer.from('ffd8ff00', 'hex'), length, bytes, frame]);
  return `data:image/jpeg;base64,${all.toString('base64')}`;
}

/** A logo of one colour with a corner of another: few bytes at any size. */
export const flatLogo = (width: number, height: number): string =>
  asPng(
    width,
    height,
    `<rect width="${width}" height="${height}" fill="#d21"/><rect width="9" height="9" fill="#1a6"/>`,
  );

/** Black and white noise: scaled down it has many greys, and needs more bytes than a logo may have. */
export async function noisyLogo(): Promise<string> {
  const side = 696;
  const pixels = createHash('shake256', { outputLength: (side / 8) * side })
    .update('noise')
    .digest();
  const png = await encodePng({ side, pixels, palette: Buffer.from('ffffff000000', 'hex') });
  return `data:image/png;base64,${png.toString('base64')}`;
}
