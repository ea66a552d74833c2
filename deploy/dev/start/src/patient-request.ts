import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from './progress.js';

export interface Answer {
  status: number;
  text: string;
}

/** A reached request limit, or a process that is not ready yet: both pass without a change. */
const TRY_LATER = new Set([429, 503]);

/** Sends a request to the API, and repeats it, after as long as the API asks for, while it says to try later. */
export async function requestPatiently(url: string, init: RequestInit, progress: Progress): Promise<Answer> {
  for (;;) {
    const response = await fetch(url, init);
    const text = await response.text();
    if (!TRY_LATER.has(response.status)) return { status: response.status, text };
    const seconds = Math.max(1, Number(response.headers.get('retry-after')) || 0);
    progress(`the API answers ${response.status}; trying again in ${seconds} s`);
    await sleep(seconds * 1000);
  }
}

/** Whether something else has the short code already, and nothing else is wrong. */
export function isCodeTaken({ status, text }: Answer): boolean {
  if (status !== 422) return false;
  try {
    const { details } = (JSON.parse(text) as { error: { details: Record<string, unknown> } }).error;
    return Object.keys(details).join() === 'short_code';
  } catch {
    return false;
  }
}
