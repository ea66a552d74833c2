import type { Operation, Parameter } from './document.js';

/** What a caller fills in: parameters by `in:name`, and the text of the body. */
export interface Values {
  parameters: Record<string, string>;
  body: string;
}

export const keyOf = ({ in: place, name }: Parameter): string => `${place}:${name}`;

/** Returns the example of the document. */
export function exampleValues({ parameters, body }: Operation): Values {
  const required = parameters.filter(({ in: place, required: isRequired }) => isRequired && place !== 'path');
  return {
    parameters: Object.fromEntries(required.map((parameter) => [keyOf(parameter), exampleOf(parameter)] as const)),
    body: body ? textOf(body.example ?? {}) : '',
  };
}

/** Returns the values with the workspace of the token, unless another one was typed. */
export const withWorkspace = ({ parameters, body }: Values, workspace?: string): Values => ({
  parameters: { ...(workspace !== undefined && { 'path:workspace': workspace }), ...parameters },
  body,
});

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);

function exampleOf({ example, schema }: Parameter): string {
  const value = example ?? schema.example ?? schema.default ?? schema.enum?.[0] ?? schema.items?.enum?.[0];
  return value === undefined ? '' : textOf(value);
}

/** Returns the parameters of one place that have a value. */
export function given(operation: Operation, { parameters }: Values, place: Parameter['in']): Record<string, string> {
  const named = operation.parameters.filter((parameter) => parameter.in === place);
  return Object.fromEntries(
    named.map((each) => [each.name, parameters[keyOf(each)] ?? ''] as const).filter(([, value]) => value !== ''),
  );
}

/** Returns the path with its query; `refer` writes a required parameter that has no value yet. */
export function addressOf(
  { path, parameters }: Operation,
  values: Values,
  refer = ({ name }: Parameter): string => `{${name}}`,
): string {
  const valueOf = (parameter: Parameter): string => {
    const value = values.parameters[keyOf(parameter)] ?? '';
    return value === '' && parameter.required ? refer(parameter) : encodeURIComponent(value);
  };
  const query = parameters
    .filter((each) => each.in === 'query' && valueOf(each) !== '')
    .map((each) => `${encodeURIComponent(each.name)}=${valueOf(each)}`);
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce((text, each) => text.replace(`{${each.name}}`, () => valueOf(each)), path);
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

export interface Result {
  status: number;
  statusText: string;
  headers: [string, string][];
  /** The text of the body, indented if it is JSON; none for an image. */
  text: string;
  json: unknown;
  /** The address of an image, in this page. */
  image?: string;
}

const SHOWN_HEADERS = [
  'content-type',
  'etag',
  'idempotency-replayed',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-request-id',
];

/** Sends it with the token alone: a session of the console in this browser does not count. */
export async function send(operation: Operation, values: Values, token: string): Promise<Result> {
  const { method, body } = operation;
  const response = await fetch(addressOf(operation, values), {
    method,
    credentials: 'omit',
    cache: 'no-store',
    headers: {
      ...given(operation, values, 'header'),
      ...(operation.access === 'token' && token !== '' && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': body.type }),
    },
    ...(body && { body: values.body }),
  });
  return readResult(response);
}

async function readResult(response: Response): Promise<Result> {
  const type = response.headers.get('content-type') ?? '';
  const headers = SHOWN_HEADERS.flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const common = { status: response.status, statusText: response.statusText, headers };
  if (type.startsWith('image/')) {
    return { ...common, text: '', json: undefined, image: URL.createObjectURL(await response.blob()) };
  }
  const text = await response.text();
  if (!type.includes('json')) return { ...common, text, json: undefined };
  const json: unknown = JSON.parse(text);
  return { ...common, text: textOf(json), json };
}

/** Returns the message of an error of the API. */
export function messageOf({ status, json }: Result): string {
  const error = (json as { error?: { message?: string } } | undefined)?.error;
  return error?.message ?? `The API answered ${status}.`;
}
