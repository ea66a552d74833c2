import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** One append-only file of the spool. */
export interface Segment {
  readonly path: string;
  /** The bytes written; grows while the segment is open. */
  bytes: number;
  /** The broker has confirmed everything before this offset. */
  confirmed: number;
  isOpen: boolean;
}

const NAME = /^(\d{10})\.scans$/;

export const segmentPath = (directory: string, number: number): string =>
  join(directory, `${String(number).padStart(10, '0')}.scans`);

/** Returns the segments of earlier processes, oldest first. */
export function findSegments(directory: string): Segment[] {
  return readdirSync(directory)
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => join(directory, name))
    .map((path) => ({ path, bytes: statSync(path).size, confirmed: 0, isOpen: false }));
}

export function numberAfter(segments: Segment[]): number {
  const last = segments.at(-1)?.path.split('/').pop() ?? '';
  return Number(NAME.exec(last)?.[1] ?? 0) + 1;
}
