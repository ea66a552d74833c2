import type { Request } from 'express';
import { isItem } from '@waymark/contract/common';
import type { RouteDefinition } from '@waymark/contract/route';
import { AppError } from '../errors.js';
import { entityTagOf, findKnown, matchesForChange, readTagList, type TagList } from './entity-tag.js';
import type { Reply } from './reply.js';

/** Throws unless a change of the item in this state meets the request's conditions. */
export type CheckCurrent<T> = (current: T) => void;

interface Conditions {
  ifMatch: TagList | undefined;
  ifNoneMatch: TagList | undefined;
}

/** True for a change of one item, whose state is compared in the transaction that changes it. */
export const changesItem = ({ method, path }: RouteDefinition): boolean =>
  (method === 'PATCH' || method === 'DELETE') && path.endsWith('}');

/**
 * Returns the check of a change, for the use case to call with the current item in the transaction that writes; `undefined`
 * for a request without a condition.
 */
export function checkOf<T>(request: Request, present: (current: T) => object): CheckCurrent<T> | undefined {
  const conditions = conditionsOf(request);
  if (!conditions) return undefined;
  const { ifMatch, ifNoneMatch } = conditions;
  return (current) => {
    const tag = entityTagOf(present(current));
    if (ifMatch && !matchesForChange(ifMatch, tag)) throw changed();
    if (ifNoneMatch && findKnown(ifNoneMatch, tag) !== undefined) throw known();
  };
}

/**
 * Rejects a condition that nothing would check.
 * @throws AppError `bad_request`
 */
export function refuseUncheckedCondition(route: RouteDefinition, request: Request): void {
  const isChecked = route.method === 'GET' || changesItem(route);
  if (isChecked || !conditionsOf(request)) return;
  throw new AppError(
    'bad_request',
    'This operation takes neither If-Match nor If-None-Match: it is not for a single item.',
  );
}

/** Adds the entity tag of an item to its answer; a GET is answered as its conditions say (RFC 9110, 13.2.2). */
export function withEntityTag(route: RouteDefinition, request: Request, reply: Reply): Reply {
  const ETag = reply.headers?.['ETag'] ?? tagOf(route, reply);
  if (ETag === undefined) return reply;
  const tagged = { ...reply, headers: { ...reply.headers, ETag } };
  return route.method === 'GET' ? answerConditionally(request, tagged, ETag) : tagged;
}

/** Whether the client has the representation with this tag, so that it need not be made. */
export function isKnown(request: Request, tag: string): boolean {
  const ifNoneMatch = conditionsOf(request)?.ifNoneMatch;
  return ifNoneMatch !== undefined && findKnown(ifNoneMatch, tag) !== undefined;
}

function tagOf({ response: { schema, unversionedSchema } }: RouteDefinition, { body }: Reply): string | undefined {
  if (!schema || !isItem(schema) || typeof body !== 'object' || body === null) return undefined;
  const isBare = unversionedSchema !== undefined && !('data' in body);
  return entityTagOf(isBare ? body : (body as { data: object }).data);
}

function answerConditionally(request: Request, reply: Reply & { headers: object }, tag: string): Reply {
  const { ifMatch, ifNoneMatch } = conditionsOf(request) ?? {};
  if (ifMatch && !matchesForChange(ifMatch, tag)) throw changed();
  const ETag = ifNoneMatch && findKnown(ifNoneMatch, tag);
  if (ETag === undefined) return reply;
  const caching = reply.headers['Cache-Control'];
  return { status: 304, headers: { ETag, ...(caching !== undefined && { 'Cache-Control': caching }) } };
}

/** @throws AppError `bad_request` for a list that cannot be read */
function conditionsOf(request: Request): Conditions | undefined {
  const [ifMatch, ifNoneMatch] = [listOf(request, 'If-Match'), listOf(request, 'If-None-Match')];
  return ifMatch || ifNoneMatch ? { ifMatch, ifNoneMatch } : undefined;
}

function listOf(request: Request, name: string): TagList | undefined {
  const header = request.get(name);
  return header === undefined ? undefined : readTagList(name, header);
}

const changed = () =>
  failed('The item has changed since the version that If-Match names. Read it again, and repeat your change.');
const known = () => failed('The item has not changed: If-None-Match names its current version.');
const failed = (message: string) => new AppError('precondition_failed', message);
