import { statfsSync } from 'node:fs';

const GIGABYTE = 1e9;

/** @throws Error when the disk of the folder has less free space than `bytes` */
export function requireDiskSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= bytes) return;
  const [needed, left] = [bytes, free].map((each) => (each / GIGABYTE).toFixed(1));
  throw new Error(
    `not enough disk space in ${folder}: ${needed} GB are needed, ${left} GB are free; ` +
      'free some, or set XDG_CACHE_HOME to a folder on another disk',
  );
}
