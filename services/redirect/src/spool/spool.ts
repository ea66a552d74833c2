import { close, closeSync, fdatasync, fdatasyncSync, fsync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { lockDirectory } from './lock.js';
import { encodeRecord } from './record.js';
import { findSegments, numberAfter, segmentPath, type Segment } from './segment.js';

/** Bounds the loss at a power cut; a killed process loses nothing, since the page cache outlives it. */
const SYNC_EVERY_MS = 100;
/** Bounds how long an address stays on disk once the broker has it: the spool removes whole files only. */
const SEAL_AFTER_MS = 5000;
const SEGMENT_BYTES = 8 * 1024 * 1024;
const REOPEN_AFTER_MS = 100;
const LOG_EVERY_MS = 1000;
const WARN_AT = 0.8;

export interface SpoolOptions {
  directory: string;
  maxBytes: number;
  /** For tests. */
  segmentBytes?: number;
}

/**
 * Keeps scans on disk until the broker has them. A scan that `append` accepted survives the end of this process at any
 * instant. A full disk costs the scan, never the redirect.
 */
export class Spool {
  /** Oldest first; the last may be open. */
  readonly segments: Segment[];
  /** Bytes that the broker has not confirmed. */
  unconfirmedBytes = 0;

  private readonly lock: number;
  private readonly directoryDescriptor: number;
  private descriptor?: number;
  private nextNumber: number;
  private isDirty = false;
  private isSyncing = false;
  private isWarned = false;
  private openedAt = 0;
  private reopenAt = 0;
  private logAgainAt = 0;
  private readonly timer: NodeJS.Timeout;
  private readonly unrecorded;
  private readonly syncFailures;

  /** @throws when the directory can't be used, or another process uses it. */
  constructor(
    private readonly options: SpoolOptions,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    mkdirSync(options.directory, { recursive: true });
    this.lock = lockDirectory(options.directory);
    this.directoryDescriptor = openSync(options.directory, 'r');
    this.segments = findSegments(options.directory);
    this.nextNumber = numberAfter(this.segments);
    for (const segment of this.segments) this.unconfirmedBytes += segment.bytes;
    for (const segment of [...this.segments]) this.removeIfDone(segment);
    this.unrecorded = metrics.counter('scans_unrecorded_total', 'Scans that the disk did not take');
    this.syncFailures = metrics.counter(
      'spool_sync_failures_total',
      'Failed calls of fsync: a power cut can take what they were to make durable',
    );
    metrics.gauge(
      'spool_max_bytes',
      'Bytes of unconfirmed scans at which the disk counts as full',
      () => options.maxBytes,
    );
    metrics.gauge('spool_disk_bytes', 'Bytes of scans on disk, also of those that the broker has confirmed', () =>
      this.segments.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    this.timer = setInterval(() => {
      this.sealIfOld();
      this.sync();
    }, SYNC_EVERY_MS);
    this.timer.unref();
  }

  /** Records scans with one write; counts and logs those that the disk does not take. */
  append(scans: readonly string[]): void {
    try {
      this.write(scans.map(encodeRecord));
    } catch (error) {
      this.fail(error, error instanceof ShortWrite ? error.lost : scans.length);
    }
  }

  /** Marks everything before `offset` as confirmed by the broker. */
  confirm(segment: Segment, offset: number): void {
    this.unconfirmedBytes -= offset - segment.confirmed;
    segment.confirmed = offset;
    this.removeIfDone(segment);
  }

  /** Ends the open segment; the next scan opens another. */
  seal(): void {
    const segment = this.segments.at(-1);
    if (this.descriptor === undefined || !segment) return;
    const descriptor = this.descriptor;
    this.descriptor = undefined;
    segment.isOpen = false;
    fdatasync(descriptor, (error) => {
      this.noteSync(error);
      close(descriptor);
    });
    this.removeIfDone(segment);
  }

  close(): void {
    clearInterval(this.timer);
    try {
      if (this.descriptor !== undefined) fdatasyncSync(this.descriptor);
    } catch (error) {
      this.noteSync(error);
    }
    this.seal();
    closeSync(this.directoryDescriptor);
    closeSync(this.lock);
  }

  private write(records: string[]): void {
    const data = records.join('');
    const length = Buffer.byteLength(data);
    if (this.unconfirmedBytes + length > this.options.maxBytes)
      throw new LimitReached('too many scans wait for the broker');
    const descriptor = this.descriptor ?? this.open();
    const written = writeSync(descriptor, data);
    const segment = this.segments.at(-1)!;
    segment.bytes += written;
    this.unconfirmedBytes += written;
    this.isDirty = true;
    if (written < length) throw new ShortWrite(written, records);
    if (segment.bytes >= (this.options.segmentBytes ?? SEGMENT_BYTES)) this.seal();
    if (this.unconfirmedBytes > this.options.maxBytes * WARN_AT) this.warn();
  }

  private open(): number {
    const now = performance.now();
    if (now < this.reopenAt) throw new Error('the spool could not be written a moment ago');
    // Stays set if `openSync` throws.
    this.reopenAt = now + REOPEN_AFTER_MS;
    const path = segmentPath(this.options.directory, this.nextNumber);
    this.descriptor = openSync(path, 'ax', 0o600);
    this.openedAt = now;
    this.reopenAt = 0;
    this.nextNumber += 1;
    this.segments.push({ path, bytes: 0, confirmed: 0, isOpen: true });
    // The name of a new file is durable only with its directory.
    fsync(this.directoryDescriptor, (error) => this.noteSync(error));
    return this.descriptor;
  }

  private fail(error: unknown, lost: number): void {
    this.unrecorded.inc(lost);
    // A torn record does no harm at the end of a segment, and a sealed segment frees its space once it is shipped.
    if (this.descriptor !== undefined && !(error instanceof LimitReached)) {
      this.reopenAt = performance.now() + REOPEN_AFTER_MS;
      this.seal();
    }
    this.complain(error, 'scans not recorded');
  }

  private complain(error: unknown, message: string): void {
    const now = performance.now();
    if (now < this.logAgainAt) return;
    this.logAgainAt = now + LOG_EVERY_MS;
    this.log.error({ err: error, unconfirmed_bytes: this.unconfirmedBytes }, message);
  }

  private warn(): void {
    if (this.isWarned) return;
    this.isWarned = true;
    this.log.warn(
      { unconfirmed_bytes: this.unconfirmedBytes, limit: this.options.maxBytes },
      'the spool is filling up',
    );
  }

  private sync(): void {
    if (this.unconfirmedBytes < this.options.maxBytes * WARN_AT) this.isWarned = false;
    if (!this.isDirty || this.isSyncing || this.descriptor === undefined) return;
    this.isDirty = false;
    this.isSyncing = true;
    fdatasync(this.descriptor, (error) => {
      this.isSyncing = false;
      this.noteSync(error);
    });
  }

  /** A failed sync is not retried: the kernel reports a lost page once, and then marks it clean. */
  private noteSync(error: unknown): void {
    if (!error) return;
    this.syncFailures.inc();
    this.complain(error, 'spool not synced');
  }

  /** Skips segments of which the broker has confirmed nothing: those grow to their full size. */
  private sealIfOld(): void {
    const segment = this.segments.at(-1);
    if (!segment?.isOpen || segment.confirmed === 0 || this.isSyncing) return;
    if (performance.now() - this.openedAt >= SEAL_AFTER_MS) this.seal();
  }

  private removeIfDone(segment: Segment): void {
    if (segment.isOpen || segment.confirmed < segment.bytes) return;
    this.segments.splice(this.segments.indexOf(segment), 1);
    try {
      unlinkSync(segment.path);
    } catch (error) {
      // Harmless: the next process only ships it again, and analytics stores its scans once.
      this.complain(error, 'segment not removed');
    }
  }
}

/** The disk took only the first bytes. */
class ShortWrite extends Error {
  readonly lost: number;

  constructor(written: number, records: string[]) {
    super(`the disk took only ${written} bytes`);
    let end = 0;
    this.lost = records.filter((record) => (end += Buffer.byteLength(record)) > written).length;
  }
}

class LimitReached extends Error {}
