import { createHash } from 'node:crypto';
import { QR_IMAGE_TYPES } from '@waymark/contract/qr-images';
import { file, type Reply } from '@waymark/kernel/http/reply';
import { drawQrImage, type QrImage, type RunDrawing } from './draw-qr-image.js';

/**
 * Answers with the image. Only the caller may cache it, and must revalidate it: a caller with the current image gets a
 * 304 without a drawing.
 */
export async function sendQrImage(
  { name, ...image }: QrImage & { name: string },
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

/** Part of the ETag: increase it when the drawing changes. */
const DRAWING = 1;

function tagOf(image: QrImage): string {
  const hash = createHash('sha256').update(JSON.stringify([DRAWING, image]));
  return `"${hash.digest('base64url').slice(0, 27)}"`;
}
