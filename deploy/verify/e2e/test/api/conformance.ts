import type { ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import { resolve } from './reference.js';

export interface Exchange {
  method: string;
  /** The requested path, without the query. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  status: number;
  headers: Headers;
  /** Parsed, where it is JSON. */
  answer: unknown;
}

interface Operation {
  key: string;
  pattern: RegExp;
  /** Where it is in the document, as a JSON pointer. */
  pointer: string;
  operation: any;
}

/** Compares HTTP exchanges with an OpenAPI 3.1 document. */
export class Conformance {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  private readonly operations: Operation[];
  private readonly validators = new Map<string, ValidateFunction>();
  /** Operations that have succeeded, as `METHOD path`. */
  readonly succeeded = new Set<string>();

  constructor(private readonly document: any) {
    const strict = withoutSurprises(structuredClone(document));
    for (const { post } of Object.values<any>(strict.webhooks)) withoutSurprises(post.requestBody.content);
    this.ajv.addSchema(strict, 'openapi');
    this.operations = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        key: `${method.toUpperCase()} ${path}`,
        pattern: new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '[^/]+')}$`),
        pointer: `openapi#/paths/${escape(path)}/${method}`,
        operation,
      })),
    );
  }

  get keys(): string[] {
    return this.operations.map(({ key }) => key);
  }

  /** Whether the operation at this versioned path has an unversioned twin. */
  hasTwin(method: string, path: string): boolean {
    const key = this.find({ method, path })?.key.replace('/api/v1/', '/api/');
    return key !== undefined && this.keys.includes(key);
  }

  /** @returns the deviations from the document */
  problemsOf(exchange: Exchange): string[] {
    const found = this.find(exchange);
    if (!found) return [`${exchange.method} ${exchange.path} is not in the document`];
    const { key, operation, pointer } = found;
    const isSuccess = exchange.status < 300;
    const { status } = exchange;
    const listed = String(status) in operation.responses || status < 400 ? String(status) : 'default';
    const response = resolve(this.document, operation.responses[listed]);
    if (!response) return [`${key} is not said to answer ${status}`];
    if (isSuccess) this.succeeded.add(key);
    const problems = [
      ...(isSuccess ? this.requestProblems(found, exchange) : []),
      ...locationProblems(exchange),
      ...headerProblems(response, exchange, hasOptionalSession(operation)),
      ...errorProblems(exchange),
      ...this.answerProblems(response, `${pointer}/responses/${listed}`, exchange),
    ];
    return problems.map((problem) => `${key} → ${exchange.status}: ${problem}`);
  }

  get eventTypes(): string[] {
    return Object.keys(this.document.webhooks);
  }

  /** @returns the deviations of a webhook's body from the document */
  problemsOfEvent(event: { type: string }): string[] {
    if (!this.eventTypes.includes(event.type)) return [`${event.type} is not in the document`];
    const body = `openapi#/webhooks/${escape(event.type)}/post/requestBody/content/application~1json/schema`;
    return this.mismatch(body, event).map((problem) => `${event.type}: ${problem}`);
  }

  /** A fixed name wins over a parameter. */
  private find({ method, path }: Pick<Exchange, 'method' | 'path'>): Operation | undefined {
    const fitting = this.operations.filter(({ pattern }) => pattern.test(`${method} ${path}`));
    return fitting.sort((a, b) => a.key.split('{').length - b.key.split('{').length)[0];
  }

  private requestProblems({ operation, pointer }: Operation, { query = {}, body }: Exchange): string[] {
    const parameters = (operation.parameters ?? []).map((each: any) => resolve(this.document, each));
    const known = parameters.filter((each: any) => each.in === 'query').map((each: any) => each.name);
    const strangers = Object.keys(query).filter((name) => !known.includes(name));
    const schema = `${pointer}/requestBody/content/application~1json/schema`;
    return [
      ...strangers.map((name) => `it takes no ${name}`),
      ...(body === undefined || !operation.requestBody ? [] : this.mismatch(schema, body)),
    ];
  }

  private answerProblems(response: any, pointer: string, { headers, answer }: Exchange): string[] {
    const type = headers.get('content-type')?.split(';')[0];
    if (!response.content) return type ? [`it has a body (${type})`] : [];
    const said = Object.keys(response.content).find((each) => each.split(';')[0] === type);
    if (!said) return [`its body is ${type}`];
    if (type !== 'application/json') return [];
    const reference = response.content[said].schema.$ref?.replace('#', 'openapi#');
    return this.mismatch(reference ?? `${pointer}/content/application~1json/schema`, answer);
  }

  private mismatch($ref: string, value: unknown): string[] {
    const validate = this.validators.get($ref) ?? this.ajv.compile({ $ref });
    this.validators.set($ref, validate);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    );
  }
}

/** Words of errors that would tell a client nothing, and defaults of libraries. */
const VAGUE = /^(Not found\.|The given data was invalid\.|Invalid input.*|Invalid .*: expected .*)$|The The /;

/** An error says what is wrong: a 422 by its first problem, each of which has a code; a 404 by what is missing. */
function errorProblems({ status, answer }: Exchange): string[] {
  const { error } = (answer ?? {}) as { error?: any };
  if (status < 400 || !error) return [];
  const vague = [error.message, ...(error.problems ?? []).map(({ message }: any) => message)].filter(
    (message: string) => VAGUE.test(message),
  );
  return [
    ...vague.map((message) => `it says only ${JSON.stringify(message)}`),
    ...(status === 422 ? codedProblems(error) : error.problems ? ['it has problems'] : []),
  ];
}

/** The problems have the messages of `details`, field by field, and the message begins with the first of them. */
function codedProblems({ message, details, problems }: any): string[] {
  if (!Array.isArray(problems) || problems.length === 0) return ['it has no problems'];
  const said = Object.entries(details).filter(([, value]) => Array.isArray(value));
  const coded = (field: string) =>
    problems.filter((each: any) => each.field === field).map((each: any) => each.message);
  const first = problems[0].message.replace(/\.$/, '');
  return [
    ...said
      .filter(([field, messages]) => JSON.stringify(messages) !== JSON.stringify(coded(field)))
      .map(([field]) => `the problems of ${field} differ from its details`),
    ...(message.includes(first) ? [] : [`its message does not begin with a problem: ${message}`]),
  ];
}

const LIMIT_HEADERS = ['ratelimit', 'ratelimit-policy', 'x-ratelimit-limit', 'x-ratelimit-remaining'];
/** Other errors may occur before the limit is checked, or for a caller who is not a member. */
const isDecidedForMember = (status: number): boolean => status < 300 || [404, 409, 412, 422, 429].includes(status);

/** Only callers with a session are counted there. */
const hasOptionalSession = ({ security }: any): boolean =>
  (security ?? []).some((requirement: object) => Object.keys(requirement).length === 0);

function headerProblems(response: any, { status, headers }: Exchange, isSessionOptional: boolean): string[] {
  const said = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
  const always = [
    'x-request-id',
    ...(status === 429 || status === 503 ? ['retry-after'] : []),
    ...(isDecidedForMember(status) && !isSessionOptional ? LIMIT_HEADERS.filter((name) => said.includes(name)) : []),
  ];
  const undocumented = ['deprecation', 'location', 'ratelimit', 'ratelimit-policy', 'retry-after', 'set-cookie'];
  return [
    ...always.filter((name) => !headers.has(name)).map((name) => `it has no ${name}`),
    ...undocumented.filter((name) => headers.has(name) && !said.includes(name)).map((name) => `${name} is not told of`),
  ];
}

const escape = (path: string): string => path.replaceAll('~', '~0').replaceAll('/', '~1');

/** Forbids undocumented fields: clients must tolerate unknown fields, but the system must not send any. */
function withoutSurprises(value: any): any {
  if (typeof value !== 'object' || value === null) return value;
  if (value.type === 'object' && value.properties) value.additionalProperties ??= false;
  for (const [name, inner] of Object.entries(value)) if (name !== 'requestBody') withoutSurprises(inner);
  return value;
}

/** A created item has an absolute address, as the links to other pages do. */
function locationProblems({ status, headers }: Exchange): string[] {
  const location = headers.get('location');
  return status < 300 && location !== null && !URL.canParse(location) ? [`its Location is ${location}`] : [];
}
