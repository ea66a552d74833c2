import { createHash } from 'node:crypto';
import { QR_IMAGE_TYPES } from '@waymark/shared/contract/qr-images';
import { file, type Reply } from '@waymark/shared/kernel/http/reply';
import { drawQrImage, type QrImage, type RunDrawing } from './draw-qr-image.js';

/**
 * The image as an answer. Nobody but the caller may keep it, and nobody uses it without asking: who has it already is told
 * so before anything is drawn.
 */
export async function sendQrImage(
  image: QrImage,
  name: string,
  run: RunDrawing,
  isKnown: (tag: string) => boolean,
): Promise<Reply> {
  const tag = tagOf(image);
  const caching = { 'Cache-Control': 'private, no-cache', ETag: tag };
  if (isKnown(tag)) return { status: 304, headers: caching };
  const type = QR_IMAGE_TYPES[image.format];
  const reply = file(await drawQrImage(image, run), { type, name: `${name}.${image.format}`, disposition: 'inline' });
  return { ...reply, headers: { ...reply.headers, ...caching } };
}

/** Of what the image is made of, and how: to be counted up when the drawing changes. */
const DRAWING = 1;

function tagOf(image: QrImage): string {
  const hash = createHash('sha256').update(JSON.stringify([DRAWING, image]));
  return `"${hash.digest('base64url').slice(0, 27)}"`;
}
