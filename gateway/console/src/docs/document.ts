/** The parts of an OpenAPI 3.1 document that the page shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  description?: string;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

interface Media {
  schema?: Schema;
  example?: unknown;
}

interface Body {
  description?: string;
  content?: Record<string, Media>;
}

interface HeaderObject {
  description?: string;
  schema?: Schema;
}

interface ResponseObject extends Body {
  headers?: Record<string, HeaderObject | Reference>;
}

interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: (Parameter | Reference)[];
  requestBody?: Body;
  responses?: Record<string, ResponseObject | Reference>;
}

export interface ApiDocument {
  info: { title: string; description?: string };
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  webhooks?: Record<string, { post: OperationObject }>;
  components: { schemas: Record<string, Schema>; responses?: Record<string, ResponseObject> };
}

/** Who can call an operation: everyone, a program with a token, or only a browser that has signed in. */
export type Access = 'public' | 'token' | 'session';

export interface Content {
  type: string;
  schema: Schema;
  example?: unknown;
  description?: string;
}

export interface Answer {
  status: string;
  description: string;
  headers: Header[];
  content?: Content;
}

export interface Header {
  name: string;
  description: string;
  schema: Schema;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  /** The paragraph of the description that says who may call it. */
  permission: string;
  access: Access;
  parameters: Parameter[];
  body?: Content;
  answers: Answer[];
}

export interface Group {
  id: string;
  name: string;
  description: string;
  operations: Operation[];
}

/** Follows references within the document. */
export class Reader {
  constructor(private readonly document: ApiDocument) {}

  resolve<T extends object>(value: T | Reference): T {
    if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
    const keys = value.$ref.slice('#/'.length).split('/');
    const target = keys.reduce((found: unknown, key) => (found as Record<string, unknown>)[key], this.document);
    return this.resolve(target as T | Reference);
  }

  /** Returns the groups with operations, in the order of the document's tags. */
  groups(): Group[] {
    const all = Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, object]) => ({ tag: object.tags?.[0], path, method, object })),
    );
    return this.document.tags
      .map(({ name, description = '' }) => ({
        id: groupId(name),
        name,
        description,
        operations: all
          .filter(({ tag }) => tag === name)
          .map(({ path, method, object }) => this.operation(path, method, object)),
      }))
      .filter(({ operations }) => operations.length > 0);
  }

  /** Returns the requests that the platform sends to endpoints. */
  events(): Operation[] {
    return Object.entries(this.document.webhooks ?? {}).map(([name, { post }]) => ({
      ...this.operation(name, 'post', post),
      summary: post.summary ?? name,
    }));
  }

  private operation(path: string, method: string, object: OperationObject): Operation {
    const paragraphs = (object.description ?? '').split('\n\n');
    return {
      id: object.operationId,
      method: method.toUpperCase(),
      path,
      summary: object.summary ?? object.operationId,
      description: paragraphs.length > 1 ? paragraphs.slice(0, -1).join('\n\n') : (object.description ?? ''),
      permission: paragraphs.length > 1 ? paragraphs.at(-1)! : '',
      access: accessOf(object.security),
      parameters: (object.parameters ?? []).map((parameter) => this.resolve(parameter)),
      body: contentOf(object.requestBody),
      answers: Object.entries(object.responses ?? {}).map(([status, answer]) => {
        const { description = '', headers = {}, ...body } = this.resolve(answer);
        return { status, description, headers: this.headers(headers), content: contentOf(body) };
      }),
    };
  }

  private headers(headers: NonNullable<ResponseObject['headers']>): Header[] {
    return Object.entries(headers).map(([name, header]) => {
      const { description = '', schema = {} } = this.resolve(header);
      return { name, description, schema };
    });
  }
}

/** The anchor of a group: `folders-tags-and-templates`. */
export const groupId = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '');

function accessOf(security: object[] | undefined): Access {
  if (security === undefined || security.length === 0) return 'public';
  if (security.some((scheme) => 'token' in scheme)) return 'token';
  return security.some((scheme) => Object.keys(scheme).length === 0) ? 'public' : 'session';
}

function contentOf(body: Body | undefined): Content | undefined {
  const [first] = Object.entries(body?.content ?? {});
  if (first === undefined) return undefined;
  const [type, { schema = {}, example }] = first;
  return { type, schema, example, description: body?.description };
}
