import type {
  HttpMethod,
  IsOperationRequestBodyOptional,
  MediaType,
  OperationRequestBodyContent,
  PathsWithMethod,
  RequiredKeysOf,
  SuccessResponse,
} from 'openapi-typescript-helpers';

/** How the body of an answer is read; JSON unless said otherwise. */
interface Bodies {
  json: unknown;
  text: string;
  blob: Blob;
  arrayBuffer: ArrayBuffer;
  stream: ReadableStream<Uint8Array> | null;
}
export type ParseAs = keyof Bodies;

type ParamsOf<Operation> = Operation extends { parameters: infer Params }
  ? RequiredKeysOf<Params> extends never
    ? { params?: Params }
    : { params: Params }
  : object;
type Body<Operation> = OperationRequestBodyContent<Operation>;
type BodyOf<Operation> = [Body<Operation>] extends [never]
  ? { body?: never }
  : IsOperationRequestBodyOptional<Operation> extends true
    ? { body?: Body<Operation> }
    : { body: Body<Operation> };
export type InitOf<Operation> = ParamsOf<Operation> &
  BodyOf<Operation> & { headers?: Readonly<Record<string, string>>; signal?: AbortSignal; parseAs?: ParseAs };

/** The parameters and the body may be left out when none is required. */
export type InitParam<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init];

type DataOf<Operation, Init> = Init extends { parseAs: infer As extends Exclude<ParseAs, 'json'> }
  ? Bodies[As]
  : Operation extends { responses: infer Responses extends Record<string | number, unknown> }
    ? SuccessResponse<Responses, MediaType>
    : never;

export type OperationOf<Paths, Path extends keyof Paths, Method extends HttpMethod> = Paths[Path][Method &
  keyof Paths[Path]];

export interface Success<Data> {
  data: Data;
  /** For its headers. */
  response: Response;
}
export type Call<Paths extends object, Method extends HttpMethod> = <
  Path extends PathsWithMethod<Paths, Method>,
  Init extends InitOf<OperationOf<Paths, Path, Method>>,
>(
  path: Path,
  ...init: InitParam<Init>
) => Promise<Success<DataOf<OperationOf<Paths, Path, Method>, Init>>>;

type Answer<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : never;
/** The paths of lists. */
export type ListPath<Paths> = {
  [P in keyof Paths]: Paths[P] extends { get: infer Get }
    ? Answer<Get> extends { data: unknown[] }
      ? P
      : never
    : never;
}[keyof Paths];
export type ItemOf<PathItem> = PathItem extends { get: infer Get }
  ? Answer<Get> extends { data: (infer Item)[] }
    ? Item
    : never
  : never;
