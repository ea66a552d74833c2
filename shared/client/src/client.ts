import createClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, MediaType, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
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

type DataOf<Result> = Result extends { data: infer Data } ? Data : never;
interface Success<Operation, Init> {
  data: DataOf<FetchResponse<Operation & Record<string | number, unknown>, Init, MediaType>>;
  /** For its headers. */
  response: Response;
}
/** The parameters and the body may be left out when none is required. */
type InitParam<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init];
type Call<Paths extends object, Method extends HttpMethod> = <
  Path extends PathsWithMethod<Paths, Method>,
  Init extends MaybeOptionalInit<Paths[Path], Method & keyof Paths[Path]>,
>(
  path: Path,
  ...init: InitParam<Init>
) => Promise<Success<Paths[Path][Method & keyof Paths[Path]], Init>>;

type Answer<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : never;
/** The paths of lists. */
type ListPath<Paths> = {
  [P in keyof Paths]: Paths[P] extends { get: infer Get }
    ? Answer<Get> extends { data: unknown[] }
      ? P
      : never
    : never;
}[keyof Paths];
type ItemOf<PathItem> = PathItem extends { get: infer Get }
  ? Answer<Get> extends { data: (infer Item)[] }
    ? Item
    : never
  : never;

/** Each call returns the body of a success as `data`, and throws a `WaymarkError` otherwise. */
export interface WaymarkClient<Paths extends object> {
  GET: Call<Paths, 'get'>;
  POST: Call<Paths, 'post'>;
  PATCH: Call<Paths, 'patch'>;
  DELETE: Call<Paths, 'delete'>;
  /** Yields every item of a list, page after page; a loop that is left asks for no further page. */
  paginate<Path extends ListPath<Paths>>(
    path: Path,
    ...init: InitParam<MaybeOptionalInit<Paths[Path], 'get' & keyof Paths[Path]>>
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

interface Init {
  params?: { query?: object };
  signal?: AbortSignal;
}
type AnyCall = (path: string, init?: Init) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

function newClient<Paths extends object>({
  baseUrl,
  token,
  headers,
  fetch,
  ...retry
}: ClientOptions): WaymarkClient<Paths> {
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  const client = createClient({
    baseUrl,
    headers: { ...(authorization && { authorization }), ...headers },
    fetch: retrying(fetch ?? ((request) => globalThis.fetch(request)), retry),
  });
  client.use({ onRequest: ({ request, schemaPath }) => void addKey(request, schemaPath) });
  const calls = Object.fromEntries(METHODS.map((method) => [method, throwing(client[method] as AnyCall)]));
  const paginate = (path: string, init?: Init) =>
    itemsOf(async (next) => {
      const params = { ...init?.params, query: { ...init?.params?.query, ...next } };
      return (await calls['GET']!(path, { ...init, params })).data as never;
    });
  return { ...calls, paginate } as unknown as WaymarkClient<Paths>;
}

/** A repeated POST with the same key takes effect once. */
function addKey({ method, headers }: Request, schemaPath: string): void {
  if (method !== 'POST' || !TAKE_KEYS.has(schemaPath) || headers.has('idempotency-key')) return;
  headers.set('idempotency-key', newKey());
}

/** Browsers have `randomUUID` on https and localhost only. */
const newKey = (): string => crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint32Array(4))].join('-');

const NOT_MODIFIED = 304;

const throwing =
  (call: AnyCall): AnyCall =>
  async (path, init) => {
    const { data, error, response } = await call(path, init).catch((cause: unknown) => {
      throw init?.signal?.aborted ? cause : withoutAnswer(cause);
    });
    if (response.ok || response.status === NOT_MODIFIED) return { data, response };
    throw WaymarkError.ofAnswer(response, error);
  };
