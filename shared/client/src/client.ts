import type { Call, InitOf, InitParam, ItemOf, ListPath, OperationOf, ParseAs, Success } from './calls.js';
import { WaymarkError } from './error.js';
import { TAKE_KEYS } from './generated/idempotent.js';
import type { components as LinksComponents, paths as LinksPaths } from './generated/links.js';
import type { components as QrComponents, paths as QrPaths } from './generated/qr.js';
import { itemsOf } from './paginate.js';
import { retrying, withoutAnswer, type RetryOptions } from './retry.js';

export interface ClientOptions extends RetryOptions {
  /** The API's origin, e.g. `https://api.example.com`. */
  baseUrl: string;
  /** A personal access token; a browser's session goes into `headers`. */
  token?: string;
  headers?: Readonly<Record<string, string>>;
  /** In place of the platform's `fetch`, e.g. one that goes through a proxy. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Each call returns the body of a success as `data`, and throws a `WaymarkError` otherwise. */
export interface WaymarkClient<Paths extends object> {
  GET: Call<Paths, 'get'>;
  POST: Call<Paths, 'post'>;
  PATCH: Call<Paths, 'patch'>;
  DELETE: Call<Paths, 'delete'>;
  /** Yields every item of a list, page after page; a loop that is left asks for no further page. */
  paginate<Path extends ListPath<Paths>>(
    path: Path,
    ...init: InitParam<InitOf<OperationOf<Paths, Path, 'get'>>>
  ): AsyncGenerator<ItemOf<Paths[Path]>, void>;
}

export type LinksClient = WaymarkClient<LinksPaths>;
export type QrClient = WaymarkClient<QrPaths>;
/** The named schemas of the API, e.g. `LinksSchemas['Link']`. */
export type LinksSchemas = LinksComponents['schemas'];
export type QrSchemas = QrComponents['schemas'];

/** Returns a client for a links deployment, with types for each path, parameter, body and answer. */
export const linksClient = (options: ClientOptions): LinksClient => newClient<LinksPaths>(options);

/** Returns a client for a QR codes deployment. */
export const qrClient = (options: ClientOptions): QrClient => newClient<QrPaths>(options);

type Values = Readonly<Record<string, unknown>>;
interface Init {
  params?: { path?: Values; query?: Values; header?: Readonly<Record<string, string>> };
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  parseAs?: ParseAs;
}

function newClient<Paths extends object>(options: ClientOptions): WaymarkClient<Paths> {
  const { baseUrl, token, headers, fetch = (request) => globalThis.fetch(request), ...retry } = options;
  const send = retrying(fetch, retry);
  const origin = baseUrl.replace(/\/$/, '');
  const own = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers };
  const callBy =
    (method: string) =>
    async (path: string, init: Init = {}): Promise<Success<unknown>> => {
      const headers = merged([own, init.headers, init.params?.header]);
      if (method === 'POST' && TAKE_KEYS.has(path) && !headers.has(KEY_HEADER))
        headers.set(KEY_HEADER, newRequestKey());
      const newRequest = (signal: AbortSignal) => requestOf(origin + path, { ...init, signal }, { method, headers });
      try {
        const response = await send(newRequest, init.signal);
        if (response.ok || response.status === NOT_MODIFIED)
          return { data: await read(response, init.parseAs), response };
        throw WaymarkError.ofAnswer(response, await response.text());
      } catch (error) {
        throw init.signal?.aborted ? init.signal.reason : withoutAnswer(error);
      }
    };
  const GET = callBy('GET');
  const paginate = (path: string, init?: Init) =>
    itemsOf(async (next) => {
      const params = { ...init?.params, query: { ...init?.params?.query, ...next } };
      return (await GET(path, { ...init, params })).data as never;
    });
  const client = { GET, POST: callBy('POST'), PATCH: callBy('PATCH'), DELETE: callBy('DELETE'), paginate };
  return client as unknown as WaymarkClient<Paths>;
}

const NOT_MODIFIED = 304;
const KEY_HEADER = 'Idempotency-Key';

/** Later headers replace earlier ones of the same name, in any case. */
function merged(all: (Readonly<Record<string, string>> | undefined)[]): Headers {
  const headers = new Headers();
  for (const [name, value] of all.flatMap((each) => Object.entries(each ?? {}))) headers.set(name, value);
  return headers;
}

function requestOf(
  template: string,
  { params = {}, body, signal }: Init,
  init: RequestInit & { headers: Headers },
): Request {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params.path?.[name])));
  const query = Object.entries(params.query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)])).toString();
  if (body !== undefined && !init.headers.has('content-type')) init.headers.set('content-type', 'application/json');
  return new Request(search ? `${path}?${search}` : path, {
    ...init,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

/**
 * Returns a new `Idempotency-Key`: a POST with it takes effect once, however often it is sent. Browsers have `randomUUID` on
 * https and localhost only.
 */
export const newRequestKey = (): string =>
  crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint32Array(4))].join('-');

async function read(response: Response, parseAs: ParseAs = 'json'): Promise<unknown> {
  if (parseAs === 'stream') return response.body;
  if (parseAs !== 'json') return response[parseAs]();
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}
