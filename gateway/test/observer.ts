import { createServer, type IncomingMessage, type Server } from 'node:http';
import jwt from 'jsonwebtoken';
import type { Identity } from '@waymark/contract/identity';
import type { ServiceName } from '@waymark/contract/route';
import { IDENTITY_HEADER } from '@waymark/kernel/http/identity';
import type { IdentityKeys } from '@waymark/testing/keys';

/** A request that the gateway forwarded to a service. */
export interface Arrival {
  service: ServiceName;
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  /** Header names as sent, including duplicates. */
  names: string[];
}

/** Records the requests that reach the services; the request id that a test chooses identifies its own. */
export class Observer {
  private readonly arrivals = new Map<string, Arrival[]>();
  readonly all: Arrival[] = [];

  watch(service: ServiceName, server: Server): void {
    server.prependListener('request', (request: IncomingMessage) => {
      if (request.url!.startsWith('/internal/')) return;
      const { headers, rawHeaders } = request;
      const names = rawHeaders.filter((_, index) => index % 2 === 0);
      const arrival = { service, method: request.method!, url: request.url!, headers, names };
      const id = String(headers['x-request-id']);
      this.arrivals.set(id, [...(this.arrivals.get(id) ?? []), arrival]);
      this.all.push(arrival);
    });
  }

  of(requestId: string): Arrival[] {
    return this.arrivals.get(requestId) ?? [];
  }
}

/** Stands in for a service: reads the request and answers 200. */
export async function startStandIn(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{"data":[]}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** @throws when the gateway has not signed the identity for this service, or not for a short time */
export function identityIn(arrival: Arrival, keys: IdentityKeys): Identity {
  const key = Buffer.from(keys.keyOf(arrival.service), 'base64');
  const claims = jwt.verify(String(arrival.headers[IDENTITY_HEADER]), key, {
    algorithms: ['HS256'],
    audience: arrival.service,
    maxAge: 60,
  });
  return (claims as { identity: Identity }).identity;
}
