/** A hundred of the longest URLs with their reasons. */
const BYTES_MAX = 2 * 1024 * 1024;

/** Reads the body of an answer. @throws if it is longer than any answer needs to be */
export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
