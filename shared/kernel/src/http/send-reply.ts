import type { Response } from 'express';
import { sendStream } from './content.js';
import type { Limits } from './limits.js';
import type { Reply } from './reply.js';
import { sendJson } from './send-json.js';

/** Sends a reply to this caller, within the limits on the long replies a caller may read at a time. */
export async function sendReply(
  response: Response,
  reply: Reply,
  { limits, caller }: { limits: Limits; caller: string },
): Promise<void> {
  // Nothing would release the reservation of an answer to a client that has disconnected.
  if (response.destroyed) return;
  const { body, content, headers = {} } = reply;
  const isStream = typeof content === 'object' && !Buffer.isBuffer(content);
  if (isStream && response.req.method !== 'HEAD') {
    response.once('close', limits.exports.reserve(1, caller));
    return sendStream(response, content, { headers });
  }
  response.set(headers);
  if (content !== undefined) response.end(isStream ? undefined : content);
  else if (body === undefined) response.end();
  else await sendJson(response, body, (bytes) => limits.longAnswers.reserve(bytes, caller));
}
