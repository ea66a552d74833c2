import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, createDeflate } from 'node:zlib';

/** For flat colours: more effort takes four times as long and hardly makes an image with a logo smaller. */
const EFFORT = 3;
const ROWS_AT_ONCE = 64;
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const COLOUR_TYPE = { palette: 3, rgba: 6 } as const;

export interface Picture {
  /** The side of the square picture. */
  side: number;
  /** Row after row, each padded to a whole byte: one bit per pixel with a palette, four bytes without. */
  pixels: Buffer;
  /** The colours of 0 and 1, three bytes each. */
  palette?: Buffer;
}

/** Encodes a PNG (https://www.w3.org/TR/png-3/) of two colours or of all; compresses it outside the event loop. */
export async function encodePng({ side, pixels, palette }: Picture): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = palette ? 1 : 8;
  header[9] = palette ? COLOUR_TYPE.palette : COLOUR_TYPE.rgba;
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...(palette ? [chunk('PLTE', palette)] : []),
    chunk('IDAT', await compress(pixels, side)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function compress(pixels: Buffer, rows: number): Promise<Buffer> {
  return buffer(Readable.from(scanlines(pixels, rows)).pipe(createDeflate({ level: EFFORT })));
}

/** Yields some rows at a time, so that other requests do not wait for all; each starts with its filter type, none. */
function* scanlines(pixels: Buffer, rows: number): Generator<Buffer> {
  const width = pixels.length / rows;
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - from);
    const lines = Buffer.alloc(count * (width + 1));
    for (let row = 0; row < count; row += 1) {
      const offset = (from + row) * width;
      pixels.copy(lines, row * (width + 1) + 1, offset, offset + width);
    }
    yield lines;
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, 'latin1');
  data.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, data.length + 8)), data.length + 8);
  return framed;
}
