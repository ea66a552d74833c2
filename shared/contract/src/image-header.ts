export interface ImageHeader {
  type: 'image/png' | 'image/jpeg';
  width: number;
  height: number;
}

const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

/** Reads type and size from the first bytes of a PNG or JPEG, ignoring its declared type; `null` for anything else. */
export function readImageHeader(bytes: Buffer): ImageHeader | null {
  if (bytes.length >= 24 && bytes.subarray(0, PNG_START.length).equals(PNG_START))
    return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  return bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 ? readJpeg(bytes) : null;
}

/**
 * Segments follow each other (ITU-T T.81, annex B) up to the one that starts the frame. Decoders skip what is no segment:
 * taken for one, it would hide a frame of any size from this function.
 */
function readJpeg(bytes: Buffer): ImageHeader | null {
  for (let offset = 2; offset + 9 <= bytes.length && bytes[offset] === 0xff;) {
    const marker = bytes[offset + 1]!;
    if (isStartOfFrame(marker))
      return { type: 'image/jpeg', height: bytes.readUInt16BE(offset + 5), width: bytes.readUInt16BE(offset + 7) };
    const length = bytes.readUInt16BE(offset + 2);
    // Any number of 0xff bytes may precede a marker.
    if (marker === 0xff) offset += 1;
    else if (isSegmentBeforeFrame(marker) && length >= 2) offset += 2 + length;
    else return null;
  }
  return null;
}

const START_OF_SCAN = Buffer.from([0xff, 0xda]);

/** Returns an upper bound of a JPEG's scans: the marker may also occur in data that is not part of the picture. */
export function countScans(bytes: Buffer): number {
  let count = 0;
  for (let offset = bytes.indexOf(START_OF_SCAN); offset !== -1; offset = bytes.indexOf(START_OF_SCAN, offset + 2))
    count += 1;
  return count;
}

/** Tables, restart intervals, comments and data of applications. */
const isSegmentBeforeFrame = (marker: number): boolean =>
  [0xc4, 0xcc, 0xdb, 0xdd, 0xfe].includes(marker) || (marker >= 0xe0 && marker <= 0xef);

const isStartOfFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
