import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { entryHash, type Head, type LinkedEntry } from './chain.js';
import { entryContent, type Entry } from './entry.js';
import { redactionText, type Redaction } from './redaction.js';

/** The head of a chain, signed with a key that the database and its users do not have. */
export interface Anchor extends Head {
  /** ISO 8601. */
  signedAt: string;
  /** Ed25519, base64url. */
  signature: string;
}

export class AnchorKeys {
  private readonly publicKeys: readonly KeyObject[];

  /** @param earlier public keys of replaced signing keys: their signatures stay valid */
  constructor(
    private readonly signingKey: KeyObject,
    earlier: readonly KeyObject[] = [],
  ) {
    this.publicKeys = [createPublicKey(signingKey), ...earlier];
  }

  signHead(workspace: string, { seq, hash }: Head): Anchor {
    const anchor = { seq, hash, signedAt: new Date().toISOString() };
    const signature = sign(null, signedText(workspace, anchor), this.signingKey).toString('base64url');
    return { ...anchor, signature };
  }

  /** @param entry without its personal data, with the hash of the original */
  signRedaction(entry: LinkedEntry): Redaction {
    const redactedAt = new Date().toISOString();
    const signature = sign(null, redactionText(entry, redactedAt), this.signingKey).toString('base64url');
    return { redactedAt, signature };
  }

  /** Signs an entry that waits for its place in the chain. */
  signWaiting(entry: Entry, number: number): string {
    return sign(null, waitingText(entry, number), this.signingKey).toString('base64url');
  }

  /** Whether this installation signed the entry as it is. */
  isWaitingSigned({ number, signature, ...entry }: Entry & { number: number; signature: string }): boolean {
    try {
      const text = waitingText(entry, number);
      return this.publicKeys.some((key) => verify(null, text, key, Buffer.from(signature, 'base64url')));
    } catch {
      // A row without the shape of an entry was not stored by this service.
      return false;
    }
  }

  /** Whether this installation redacted the entry, and left it as it is. */
  private isRedacted(entry: LinkedEntry, { redactedAt, signature }: Redaction): boolean {
    if (typeof redactedAt !== 'string' || typeof signature !== 'string') return false;
    const text = redactionText(entry, redactedAt);
    return this.publicKeys.some((key) => verify(null, text, key, Buffer.from(signature, 'base64url')));
  }

  /** Whether the entry is as this installation appended it, or as it left it when it redacted the entry. */
  isGenuine(entry: LinkedEntry & { redaction?: Redaction }): boolean {
    try {
      return entry.redaction ? this.isRedacted(entry, entry.redaction) : entry.hash === entryHash(entry);
    } catch {
      // A row without the shape of an entry was not appended by this service.
      return false;
    }
  }

  isSigned(
    workspace: string,
    { seq, hash, signedAt, signature }: Head & Partial<Record<keyof Anchor, unknown>>,
  ): boolean {
    if (typeof signedAt !== 'string' || typeof signature !== 'string') return false;
    const text = signedText(workspace, { seq, hash, signedAt });
    return this.publicKeys.some((key) => verify(null, text, key, Buffer.from(signature, 'base64url')));
  }
}

/** See docs/audit.md: the signed fields and their order must never change. */
function signedText(workspace: string, { seq, hash, signedAt }: Omit<Anchor, 'signature'>): Buffer {
  return Buffer.from(JSON.stringify(['waymark audit anchor 1', workspace, seq, hash, signedAt]));
}

function waitingText(entry: Entry, number: number): Buffer {
  return Buffer.from(JSON.stringify(['waymark audit waiting 1', entry.workspace, number, entryContent(entry)]));
}
