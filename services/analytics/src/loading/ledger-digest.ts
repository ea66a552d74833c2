import { createHash } from 'node:crypto';
import type { Digest } from './warehouse-day.js';

/** Computes the digest of ledger rows like `WarehouseDay.digest`. */
export class LedgerDigest {
  private rows = 0;
  private checksum = 0n;

  addId(id: string): void {
    this.rows += 1;
    this.checksum ^= createHash('sha256').update(id).digest().readBigUInt64LE(0);
  }

  result(): Digest {
    return { rows: this.rows, checksum: this.checksum.toString(16).padStart(16, '0') };
  }
}
