import type { EventContext } from '@waymark/contract/event';
import type { ApiRequest } from '@waymark/kernel/http/api';

/** A request about one endpoint. */
export interface EndpointRequest {
  workspace: string;
  id: string;
  /** For the events that the request causes. */
  event: EventContext;
}

export function endpointRequestOf({
  params,
  workspace,
  eventContext,
}: Pick<ApiRequest, 'params' | 'workspace' | 'eventContext'>): EndpointRequest {
  return { workspace: workspace.slug, id: params['id']!, event: eventContext };
}
