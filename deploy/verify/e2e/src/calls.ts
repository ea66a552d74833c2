import assert from 'node:assert/strict';
import { WaymarkError } from '@waymark/client';

/** Fails unless the answer has this status. @returns the data of a success */
export async function answered<T>(status: number, call: Promise<{ data: T; response: Response }>): Promise<T> {
  try {
    const { data, response } = await call;
    assert.equal(response.status, status, `${response.url} answered ${response.status}`);
    return data;
  } catch (error) {
    if (!(error instanceof WaymarkError)) throw error;
    assert.equal(error.status, status, `${error.requestId} was answered ${error.status}: ${error.message}`);
    return undefined as T;
  }
}
