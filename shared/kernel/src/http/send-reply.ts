import type { Response } from 'express';
import { KeyedLimit } from '../limits/keyed-limit.js';
import { abortSignalOf } from './abort-signal.js';
import { sendStream } from './content.js';
import type { Reply } from './reply.js';
import { sendJson } from './send-json.js';

/** Streams that clients are reading: each holds one piece. */
export const newStreamLimits = () => ({
  exports: new KeyedLimit({ total: 64, perKey: 8 }),
  /** Verifications of audit logs, which wait for no export. */
  verifications: new KeyedLimit({ total: 16, perKey: 4 }),
});
export type StreamLimits = ReturnType<typeof newStreamLimits>;

/** Sends a reply; a stream when its workspace has a place for it. */
export async function sendReply(
  response: Response,
  reply: Reply,
  { limits, workspace }: { limits: StreamLimits; workspace: string },
): Promise<void> {
  // No later event would release the place of a client that has disconnected.
  if (response.destroyed) return;
  const { body, content, headers = {}, streamLimit = 'exports' } = reply;
  const isStream = typeof content === 'object' && !Buffer.isBuffer(content);
  if (isStream && response.req.method !== 'HEAD') {
    const release = await limits[streamLimit].acquire(workspace, abortSignalOf(response));
    response.once('close', release);
    return sendStream(response, content, { headers });
  }
  response.set(headers);
  if (content !== undefined) response.end(isStream ? undefined : content);
  else if (body === undefined) response.end();
  else await sendJson(response, body);
}
