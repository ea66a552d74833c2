import type { FileHandle } from 'node:fs/promises';
import { scanRecorded, SCANS_PER_EVENT_MAX } from '@waymark/contract/events';
import { isIntact, JSON_AT } from './record.js';
import type { Segment } from './segment.js';

/** With its envelope a batch stays within 256 KiB. */
const CHUNK_BYTES = 255 * 1024;
const NEWLINE = 0x0a;
const COMMA = 0x2c;

/** A byte range of one segment, packed as one event. */
export interface Batch {
  segment: Segment;
  /** Where the range ends. */
  end: number;
  eventId: string;
  event: Buffer;
  scans: number;
  /** Records in it that are torn or changed. */
  corrupt: number;
}

/** Reads segments in chunks of bounded size, and packs their records into events without parsing them. */
export class BatchReader {
  private readonly chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

  /** @returns nothing when `offset` is the end, or only a record still being written follows. */
  async read(file: FileHandle, segment: Segment, offset: number): Promise<Batch | undefined> {
    const wasOpen = segment.isOpen;
    const wanted = Math.min(CHUNK_BYTES, segment.bytes - offset);
    if (wanted <= 0) return undefined;
    const { bytesRead } = await file.read(this.chunk, 0, wanted, offset);
    const { length, ...batch } = pack(this.chunk.subarray(0, bytesRead));
    if (length > 0) return { ...batch, segment, end: offset + length };
    if (wasOpen && bytesRead < CHUNK_BYTES) return undefined;
    // No record ends here. If not a single byte is left, the file was truncated: the rest is lost.
    return { ...batch, segment, end: bytesRead > 0 ? offset + bytesRead : segment.bytes, corrupt: 1 };
  }
}

function pack(chunk: Buffer) {
  const { id, head, tail } = envelopeAround();
  const event = Buffer.allocUnsafe(head.length + chunk.length + tail.length);
  const start = event.write(head, 'latin1');
  let end = start;
  let position = 0;
  let scans = 0;
  let corrupt = 0;
  while (scans < SCANS_PER_EVENT_MAX) {
    const newline = chunk.indexOf(NEWLINE, position);
    if (newline === -1) break;
    if (isIntact(chunk, position, newline)) {
      if (scans > 0) event[end++] = COMMA;
      end += chunk.copy(event, end, position + JSON_AT, newline);
      scans += 1;
    } else if (newline > position) corrupt += 1;
    position = newline + 1;
  }
  end += event.write(tail, end, 'latin1');
  return { length: position, eventId: id, event: event.subarray(0, end), scans, corrupt };
}

/** The event's JSON before and after its scans. */
function envelopeAround(): { id: string; head: string; tail: string } {
  const empty = scanRecorded.create({ workspace: null }, { scans: [] });
  const json = JSON.stringify(empty);
  const position = json.lastIndexOf('[]') + 1;
  return { id: empty.id, head: json.slice(0, position), tail: json.slice(position) };
}
