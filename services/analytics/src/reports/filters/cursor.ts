import { z } from 'zod';
import { cursorInvalid } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';

const time = z.number().int().min(0).max(8.64e15);
/** Where the next page continues; `null` for a list that has ended. */
const filterPosition = z.object({
  links: z.object({ readAt: time, id: z.string(), scannedAt: time.nullable(), after: z.string() }).nullable(),
  campaigns: z.string().nullable(),
});
export type FilterPosition = z.infer<typeof filterPosition>;

export function encodeFilterCursor(value: FilterPosition): string | null {
  if (value.links === null && value.campaigns === null) return null;
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @throws AppError `validation_failed` for text that is not a cursor of this list */
export function decodeFilterCursor(cursor: string): FilterPosition {
  try {
    return filterPosition.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw invalid({ cursor: [cursorInvalid()] });
  }
}
