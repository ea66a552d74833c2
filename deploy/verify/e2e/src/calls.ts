import assert from 'node:assert/strict';

/** The result of a call of the typed client. */
interface Result<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Fails unless the answer has this status. @returns the data of the answer */
export async function answered<T>(status: number, call: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await call;
  const said = error === undefined ? '' : `: ${JSON.stringify(error)}`;
  assert.equal(response.status, status, `${response.url} answered ${response.status}${said}`);
  return data as T;
}
