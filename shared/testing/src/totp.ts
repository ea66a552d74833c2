import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const PERIOD_SECONDS = 30;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An implementation of RFC 6238 that is independent of the one under test: the code of a base32 secret, `steps` from now. */
export function totpCode(secret: string, steps = 0): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / PERIOD_SECONDS) + steps));
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = digest.at(-1)! & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000;
  return String(number).padStart(6, '0');
}

/** Waits for the next time step when the current one is about to end: a code must not age before it is sent. */
export async function untilStepLasts(ms: number): Promise<void> {
  const leftMs = PERIOD_SECONDS * 1000 - (Date.now() % (PERIOD_SECONDS * 1000));
  if (leftMs < ms) await sleep(leftMs);
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((character) => BASE32.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}
