import { linksClient, WaymarkError, type LinksSchemas } from '@waymark/client';
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

/** The typed client of the API on this origin. A page shows what failed at once, and lets the user repeat it. */
export const api = linksClient({ baseUrl: location.origin, retries: 0, fetch: fetchAsBrowser });

/** The browser sends the session's cookie itself. */
async function fetchAsBrowser(request: Request): Promise<Response> {
  if (request.method !== 'GET') request.headers.set(CSRF_HEADER, csrfToken);
  const response = await fetch(request);
  keepCsrfToken(response.headers.get(CSRF_HEADER));
  if (response.status === 403) await noticeSecondFactorNeed(response.clone());
  return response;
}

/** The page may show another workspace by now. */
async function noticeSecondFactorNeed(response: Response): Promise<void> {
  const body: unknown = await response.json().catch(() => undefined);
  const { details } = (body as { error?: { details?: Record<string, unknown> } } | undefined)?.error ?? {};
  if (details?.['two_factor_required']) onSecondFactorNeed(response.url.split('/workspaces/')[1]!.split(/[/?]/, 1)[0]!);
}

interface Outcome<T> {
  data: T;
  response: Response;
}

/** Returns the body of a successful response. @throws Failure */
export async function send<T>(call: Promise<Outcome<T>>): Promise<NonNullable<T>> {
  return (await sendTagged(call)).body;
}

/** Returns the body and the entity tag, which a later change sends as `If-Match`. @throws Failure */
export async function sendTagged<T>(call: Promise<Outcome<T>>): Promise<{ body: NonNullable<T>; tag: string | null }> {
  try {
    const { data, response } = await call;
    return { body: data as NonNullable<T>, tag: response.headers.get('etag') };
  } catch (error) {
    if (!(error instanceof WaymarkError)) throw error;
    if (error.status === 401) onSessionEnd();
    throw new Failure(error);
  }
}
