import { randomUUID } from 'node:crypto';
import type { Actor, Identity, WorkspaceAccess } from '@waymark/contract/identity';
import { UNVERSIONED_PREFIX, V1_PREFIX, type ServiceName } from '@waymark/contract/route';
import { IDENTITY_HEADER, signIdentity, type SignedRequest } from '@waymark/kernel/http/identity';
import { parseKey, secretKey } from './keys.js';

export const ADA: Actor = { type: 'user', id: 'usr_1', name: 'Ada', email: 'ada@example.com', token_id: null };

/** Lets an operation ignore unknown fields and parameters (RFC 7240). */
export const LENIENT = { prefer: 'handling=lenient' };

export interface CallOptions {
  body?: unknown;
  workspace?: string;
  actor?: Actor;
  access?: Partial<WorkspaceAccess>;
  /** The session of a browser. */
  sessionId?: string;
  headers?: Record<string, string>;
  /** Sends no identity, which never happens behind the gateway. */
  anonymous?: boolean;
  /** Below `/api` instead of `/api/v1`. */
  unversioned?: boolean;
  /** Identifies its log lines and events. */
  requestId?: string;
  /** Disconnects the client. */
  signal?: AbortSignal;
}

export interface ServiceAnswer {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON; a test asserts what it reads. */
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  text: string;
  bytes: Buffer;
}

/** Calls a service as the gateway would, with an identity signed for it: Ada, owner of `acme`, by default. */
export class ServiceCaller {
  constructor(
    private readonly service: ServiceName,
    private readonly baseUrl: () => string,
    /** The service's `IDENTITY_KEY`. */
    readonly key = secretKey(),
  ) {}

  call(method: string, path: string, options: CallOptions = {}): Promise<ServiceAnswer> {
    const { body, headers } = options;
    if (body === undefined) return this.raw(method, path, options);
    const json = { 'content-type': 'application/json', ...headers };
    return this.raw(method, path, { ...options, headers: json, body: JSON.stringify(body) });
  }

  /** Sends the body unchanged. */
  async raw(
    method: string,
    path: string,
    options: Omit<CallOptions, 'body'> & { body?: unknown },
  ): Promise<ServiceAnswer> {
    const { workspace = 'acme', headers, body, anonymous, unversioned, signal } = options;
    const prefix = unversioned ? UNVERSIONED_PREFIX : V1_PREFIX;
    const url = new URL(`${this.baseUrl()}${prefix}/workspaces/${workspace}${path}`);
    const identity = anonymous ? {} : this.signed(signedRequest(method, url, body), options);
    const response = await fetch(url, {
      method,
      signal,
      headers: { ...identity, ...headers },
      ...(body !== undefined && { body: body as string }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as unknown) : null,
      text,
      bytes,
    };
  }

  /** For a client of the test's own. A `body` is a text that the client sends itself. */
  addressed(
    path: string,
    { method = 'GET', ...options }: CallOptions & { method?: string } = {},
  ): { url: string; headers: Record<string, string> } {
    const { workspace = 'acme', headers, body } = options;
    const url = new URL(`${this.baseUrl()}/api/v1/workspaces/${workspace}${path}`);
    return { url: url.href, headers: { ...this.signed(signedRequest(method, url, body), options), ...headers } };
  }

  /** The header for a request to any path. */
  signed(request: SignedRequest, options: CallOptions = {}): Record<string, string> {
    const { workspace = 'acme' } = options;
    const scope = { service: this.service, request };
    return { [IDENTITY_HEADER]: signIdentity(parseKey(this.key), identityOf(workspace, options), scope) };
  }
}

/** The request as its service receives it. `body` is a text, or bytes. */
export const signedRequest = (method: string, { href, origin }: URL, body?: unknown): SignedRequest => ({
  method,
  url: href.slice(origin.length),
  body: typeof body === 'string' ? Buffer.from(body) : (body as Uint8Array | undefined),
});

function identityOf(workspace: string, { actor = ADA, access, sessionId, requestId }: CallOptions): Identity {
  return {
    actor,
    workspace: {
      slug: workspace,
      role: 'owner',
      abilities: ['read', 'write'],
      plan: { name: 'enterprise', activeLinks: null, customDomains: null, entitlements: [] },
      ...access,
    },
    session_id: sessionId ?? null,
    request_id: requestId ?? randomUUID(),
    ip_address: '127.0.0.1',
  };
}
