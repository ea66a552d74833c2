import assert from 'node:assert/strict';

/** What a call of the typed client resolves to. */
interface Result<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Fails unless the call is answered with this status; @returns what it was answered with */
export async function answered<T>(status: number, call: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await call;
  const said = error === undefined ? '' : `: ${JSON.stringify(error)}`;
  assert.equal(response.status, status, `${response.url} answered ${response.status}${said}`);
  return data as T;
}
