import type { CustomFetch } from 'openid-client';

/** The identity provider does not answer, or answers that it cannot. */
export class ProviderUnavailable extends Error {}

const TIMEOUT_MS = 5000;
const BODY_MAX_BYTES = 1024 * 1024;

/** Bounds the time and the size of each answer of the provider, the body included. */
export const boundedFetch: CustomFetch = async (url, options) => {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { ...(options as RequestInit), signal });
    const isUnavailable = response.status >= 500 || response.status === 429;
    if (isUnavailable) throw new Error(`the provider answers ${response.status}`);
    return new Response(await readBounded(response), { status: response.status, headers: response.headers });
  } catch (error) {
    throw new ProviderUnavailable(`${new URL(url).origin} is not available`, { cause: error });
  }
};

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > BODY_MAX_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk as Uint8Array);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
