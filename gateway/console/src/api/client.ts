import createClient from 'openapi-fetch';
import type { LinksClient, LinksSchemas } from '@waymark/client';
import { Failure } from './failure.js';

export type Schemas = LinksSchemas;

const CSRF_HEADER = 'x-csrf-token';
let csrfToken = '';

export function keepCsrfToken(token: string | null | undefined): void {
  if (token) csrfToken = token;
}

/** Called when the server no longer accepts the session; set by the session, which imports this file. */
let onSessionEnd = (): void => undefined;
export const handleSessionEnd = (handle: () => void): void => void (onSessionEnd = handle);

/** Called with the slug of a workspace that requires a second factor, which the user does not have. */
let onSecondFactorNeed: (workspace: string) => void = () => undefined;
export const handleSecondFactorNeed = (handle: typeof onSecondFactorNeed): void => void (onSecondFactorNeed = handle);

/** The typed client of the API on this origin; the browser sends the session's cookie. */
export const api = createClient({ baseUrl: location.origin, credentials: 'same-origin' }) as unknown as LinksClient;

api.use({
  onRequest({ request }) {
    if (request.method !== 'GET') request.headers.set(CSRF_HEADER, csrfToken);
    return request;
  },
  onResponse({ response }) {
    keepCsrfToken(response.headers.get(CSRF_HEADER));
  },
  onError() {
    return new Failure();
  },
});

interface Outcome<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the body of a successful response. @throws Failure */
export async function send<T>(call: Promise<Outcome<T>>): Promise<NonNullable<T>> {
  return (await sendTagged(call)).body;
}

/** Returns the body and the entity tag, which a later change sends as `If-Match`. @throws Failure */
export async function sendTagged<T>(call: Promise<Outcome<T>>): Promise<{ body: NonNullable<T>; tag: string | null }> {
  const { data, error, response } = await call;
  if (response.ok) return { body: data as NonNullable<T>, tag: response.headers.get('etag') };
  if (response.status === 401) onSessionEnd();
  const failure = new Failure(response, error);
  // The page may show another workspace by now.
  if (failure.needsSecondFactor) onSecondFactorNeed(response.url.split('/workspaces/')[1]!.split(/[/?]/, 1)[0]!);
  throw failure;
}
