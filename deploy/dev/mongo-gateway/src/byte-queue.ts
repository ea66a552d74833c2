/** Bytes as they arrive from a socket; joined only when a whole message is there, so large messages cost one copy. */
export class ByteQueue {
  private chunks: Buffer[] = [];
  private size = 0;

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  /** The first `count` bytes, left in the queue; undefined while they are not all there. */
  peek(count: number): Buffer | undefined {
    if (this.size < count) return undefined;
    if (this.chunks[0]!.length < count) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0]!.subarray(0, count);
  }

  take(count: number): Buffer | undefined {
    const taken = this.peek(count);
    if (!taken) return undefined;
    this.size -= count;
    const first = this.chunks[0]!;
    if (first.length === count) this.chunks.shift();
    else this.chunks[0] = first.subarray(count);
    return taken;
  }
}
