import type { EventContext } from '@waymark/contract/event';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';

export interface CreateRequest<Body> {
  workspace: string;
  /** For the event of the change. */
  event: EventContext;
  /** Aborted when the client has gone: a change that has not begun is dropped. */
  signal: AbortSignal;
  body: Body;
}

export interface DeleteRequest<Item> extends Omit<CreateRequest<unknown>, 'body'> {
  id: string;
  check: CheckCurrent<Item> | undefined;
}

export interface UpdateRequest<Item, Body> extends DeleteRequest<Item>, CreateRequest<Body> {}
