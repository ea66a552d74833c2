import { randomInt } from 'node:crypto';

const HASHES = 5;

/** A Bloom filter: proves that a key was never added, with a few bits per key. */
export class KeyFilter {
  private readonly words: Uint32Array;
  private readonly seed = randomInt(2 ** 32);
  private setCount = 0;
  private first = 0;
  private second = 0;

  constructor(bytes: number) {
    this.words = new Uint32Array(bytes >>> 2);
  }

  /** The share, from 0 to 1, of keys that were never added but appear to be present. */
  get falsePositiveRatio(): number {
    return (this.setCount / (this.words.length * 32)) ** HASHES;
  }

  add(key: string): void {
    this.hash(key);
    for (let n = 0; n < HASHES; n += 1) {
      const bit = this.bit(n);
      if (this.isSet(bit)) continue;
      this.words[bit >>> 5]! |= 1 << (bit & 31);
      this.setCount += 1;
    }
  }

  has(key: string): boolean {
    this.hash(key);
    for (let n = 0; n < HASHES; n += 1) if (!this.isSet(this.bit(n))) return false;
    return true;
  }

  private isSet(bit: number): boolean {
    return (this.words[bit >>> 5]! & (1 << (bit & 31))) !== 0;
  }

  /** All hashes derive from two (Kirsch and Mitzenmacher, 2006). */
  private bit(n: number): number {
    return ((this.first + Math.imul(n, this.second)) >>> 0) % (this.words.length * 32);
  }

  private hash(key: string): void {
    let first = this.seed;
    let second = ~this.seed;
    for (let index = 0; index < key.length; index += 1) {
      const character = key.charCodeAt(index);
      first = Math.imul(first ^ character, 0x01000193);
      second = Math.imul(second ^ character, 0x85ebca6b);
      second ^= second >>> 15;
    }
    this.first = Math.imul(first ^ (first >>> 16), 0xc2b2ae35);
    this.second = second | 1;
  }
}
