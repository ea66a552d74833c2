import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { scanRecorded } from '@waymark/contract/events';
import type { Publisher } from '@waymark/kernel/broker/publisher';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { BatchReader, type Batch } from './batch.js';
import type { Segment } from './segment.js';
import type { Spool } from './spool.js';

/** A batch in flight, without its payload. */
type SentBatch = Omit<Batch, 'event'>;

/** The shipper publishes a scan this long after the visitor got the answer; under load the delay fills the batches. */
const SHIP_INTERVAL_MS = 100;
const RETRY_AFTER_MS = 1000;
const IN_FLIGHT_MAX = 4;
/** Batches sent, but not yet confirmed together with all batches before them. */
const UNCONFIRMED_MAX = 16;
const FLUSH_TIMEOUT_MS = 5000;

/**
 * Publishes the scans of the spool, oldest first, and drops them once the broker has confirmed them. After a failure it
 * resumes from the first unconfirmed record: a scan can be published twice, but is never lost.
 */
export class Shipper {
  private readonly reader = new BatchReader();
  private readonly stopping = new AbortController();
  private running?: Promise<void>;
  private readonly log: Log;
  private readonly shipped;
  private readonly corrupt;

  constructor(
    private readonly spool: Spool,
    private readonly publisher: Pick<Publisher, 'isUp' | 'publish'>,
    { log, metrics }: { log: Log; metrics: Metrics },
  ) {
    this.log = log;
    this.shipped = metrics.counter('scans_shipped_total', 'Scans that the broker has confirmed');
    this.corrupt = metrics.counter('spool_corrupt_records_total', 'Torn or changed records that were skipped');
    metrics.gauge('spool_bytes', 'Bytes of scans that the broker has not confirmed', () => spool.unconfirmedBytes);
    metrics.gauge('spool_oldest_seconds', 'Age of the oldest scan that the broker has not confirmed', () =>
      oldestAgeSeconds(spool.segments),
    );
  }

  start(): void {
    this.running ??= this.shipUntilStopped();
  }

  /** Ships the rest; scans that the broker does not confirm within 5 s stay for the next process. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.race([this.shipRest(), sleep(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
  }

  private async shipRest(): Promise<void> {
    await this.running;
    this.spool.seal();
    await this.tryToShip();
  }

  private async shipUntilStopped(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.pause(SHIP_INTERVAL_MS);
      if (!(await this.tryToShip())) await this.pause(RETRY_AFTER_MS);
    }
  }

  private async tryToShip(): Promise<boolean> {
    if (this.spool.unconfirmedBytes === 0) return true;
    // The next round asks again soon: `isUp` changes as soon as the connection is back.
    if (!this.publisher.isUp) return true;
    try {
      await this.ship();
      return true;
    } catch (error) {
      this.log.warn({ err: error, unconfirmed_bytes: this.spool.unconfirmedBytes }, 'scans not shipped, trying again');
      return false;
    }
  }

  /** Publishes the whole spool, a few batches at a time. @throws after the first batch that failed. */
  private async ship(): Promise<void> {
    const unconfirmed: { batch: SentBatch; isDone: boolean }[] = [];
    const inFlight = new Set<Promise<void>>();
    const failures: unknown[] = [];

    try {
      for await (const { event, ...batch } of this.batches()) {
        const entry = { batch, isDone: false };
        unconfirmed.push(entry);
        const sending = this.publish(batch, event)
          .then(() => {
            entry.isDone = true;
            while (unconfirmed[0]?.isDone) this.confirm(unconfirmed.shift()!.batch);
          })
          .catch((error: unknown) => void failures.push(error))
          .finally(() => inFlight.delete(sending));
        inFlight.add(sending);
        const isFull = () =>
          inFlight.size >= IN_FLIGHT_MAX || (inFlight.size > 0 && unconfirmed.length >= UNCONFIRMED_MAX);
        while (isFull()) await Promise.race(inFlight);
        if (failures.length > 0) break;
      }
    } catch (error) {
      failures.push(error);
    }
    await Promise.all(inFlight);
    if (failures.length > 0) throw failures[0];
  }

  private async publish({ scans, eventId }: SentBatch, event: Buffer): Promise<void> {
    if (scans > 0) await this.publisher.publish(scanRecorded.type, eventId, event);
  }

  private confirm(batch: SentBatch): void {
    this.spool.confirm(batch.segment, batch.end);
    this.shipped.inc(batch.scans);
    if (batch.corrupt === 0) return;
    this.corrupt.inc(batch.corrupt);
    this.log.error({ segment: batch.segment.path, records: batch.corrupt }, 'corrupt scans skipped');
  }

  /** @throws after all readable segments, if one cannot be read. */
  private async *batches(): AsyncGenerator<Batch> {
    const unreadable: unknown[] = [];
    for (const segment of [...this.spool.segments]) {
      try {
        yield* this.batchesOf(segment);
      } catch (error) {
        // The other segments must not wait for a file that can't be read.
        this.log.error({ err: error, segment: segment.path }, 'segment not read');
        unreadable.push(error);
      }
    }
    if (unreadable.length > 0) throw unreadable[0];
  }

  private async *batchesOf(segment: Segment): AsyncGenerator<Batch> {
    const file = await open(segment.path);
    try {
      let offset = segment.confirmed;
      for (;;) {
        const batch = await this.reader.read(file, segment, offset);
        if (!batch) return;
        offset = batch.end;
        yield batch;
      }
    } finally {
      await file.close();
    }
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

const AT = /"at":"([^"]+)"/;

async function oldestAgeSeconds(segments: readonly Segment[]): Promise<number> {
  const oldest = segments.find((segment) => segment.confirmed < segment.bytes);
  if (!oldest) return 0;
  const file = await open(oldest.path);
  try {
    const scannedAt = AT.exec(await textAt(file, oldest.confirmed))?.[1];
    return scannedAt === undefined ? 0 : Math.max(0, (Date.now() - Date.parse(scannedAt)) / 1000);
  } finally {
    await file.close();
  }
}

async function textAt(file: FileHandle, offset: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, offset);
  return buffer.toString('latin1', 0, bytesRead);
}
