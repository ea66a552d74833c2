import type { z } from 'zod';
import type { Deployment } from '@waymark/contract/deployments';
import { EVERY } from '@waymark/contract/common';
import { rangeProblems } from '@waymark/contract/date-or-time';
import { notAllowed, type FieldProblems } from '@waymark/contract/problems';
import { WEBHOOK_EVENT_TYPES, WEBHOOK_TEST } from '@waymark/contract/webhook-events';
import type { delivery, DeliveryFilters, deliveryRow, qrDelivery, qrDeliveryRow } from '@waymark/contract/webhooks';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import { missing } from '@waymark/kernel/errors';
import type { ApiRequest, Checks, Handlers } from '@waymark/kernel/http/api';
import { cursorPage, item, type Reply } from '@waymark/kernel/http/reply';
import type { WebhookConfig } from '../config.js';
import { checkEventTypes } from '../endpoints/check-endpoint.js';
import type { Endpoint } from '../endpoints/endpoint.js';
import { endpointRequestOf } from '../endpoints/endpoint-request.js';
import { presentAttempt, type Attempt } from './attempt.js';
import type { DeliveryLog, LoggedAttempt } from './delivery-log.js';
import { retryDelivery, sendTest, type RequestedAttemptContext } from './requested-attempts.js';
import { startReplay, type StartReplayContext } from './start-replay.js';

/** Lists that may read a large part of a workspace: no workspace takes the database connections of the others. */
const LISTS = { total: 12, perKey: 3 };

interface DeployedContext {
  config: Pick<WebhookConfig, 'DEPLOYMENT'>;
}

interface DeliveriesContext extends DeployedContext, RequestedAttemptContext, StartReplayContext {
  deliveryLog: DeliveryLog;
}

type LogRequest = Pick<ApiRequest, 'params' | 'workspace' | 'url' | 'signal'> & { query: DeliveryFilters };

export function deliveryChecks(ctx: DeployedContext): Checks<'webhook'> {
  return {
    'webhooks.deliveries': ({ query }) => checkFilters(ctx, query),
    'webhooks.qr_deliveries': ({ query }) => checkFilters(ctx, query),
    'webhooks.replay': ({ body: { event_types: types, ...range } }) => ({
      ...rangeProblems(range),
      ...checkEventTypes(ctx.config.DEPLOYMENT, types ?? []),
    }),
  };
}

/** Returns the problems that this deployment has with the filters of the delivery log. */
function checkFilters(
  { config }: DeployedContext,
  { event_type: type, ...range }: { event_type?: string; from?: string; to?: string },
): FieldProblems {
  const problems: FieldProblems = rangeProblems(range);
  const known: string[] = [EVERY, ...WEBHOOK_EVENT_TYPES[config.DEPLOYMENT], WEBHOOK_TEST];
  if (type === undefined || known.includes(type)) return problems;
  return { ...problems, event_type: [notAllowed('event_type', known)] };
}

export function deliveryHandlers(ctx: DeliveriesContext) {
  const { DEPLOYMENT: deployment } = ctx.config;
  const lists = new KeyedLimit(LISTS);

  const findEndpoint = async ({ params, workspace }: Pick<LogRequest, 'params' | 'workspace'>): Promise<Endpoint> => {
    const endpoint = await ctx.endpoints.findEndpoint(workspace.slug, params['id']!);
    if (!endpoint) throw missing('webhook', params['id']!);
    return endpoint;
  };

  const listDeliveries = async (request: LogRequest): Promise<Reply> => {
    const { query, url, workspace, signal } = request;
    const endpoint = await findEndpoint(request);
    const found = await lists.run(workspace.slug, () => ctx.deliveryLog.listAttempts(endpoint._id, query), signal);
    const rows = { ...found, items: found.items.map((attempt) => presentDeliveryRow(deployment, attempt)) };
    return cursorPage(rows, { page: query.page, perPage: query.per_page, cursor: query.cursor }, url);
  };

  const showDelivery = async (request: Pick<LogRequest, 'params' | 'workspace'>) => {
    const { _id } = await findEndpoint(request);
    const deliveryId = await ctx.attempts.resolveDeliveryId(_id, request.params['delivery']!);
    const [latest, ...earlier] = await ctx.deliveryLog.findAttempts(_id, deliveryId);
    if (!latest) throw missing('delivery', request.params['delivery']!, 'of this webhook');
    return item(presentDelivery(deployment, [latest, ...earlier]));
  };

  return {
    'webhooks.test': (request) => request.once(() => sendTest(ctx, endpointRequestOf(request)), requested),
    'webhooks.deliveries': listDeliveries,
    'webhooks.qr_deliveries': listDeliveries,
    'webhooks.delivery': showDelivery,
    'webhooks.qr_delivery': showDelivery,
    'webhooks.retry_delivery': (request) =>
      request.once(() => retryDelivery(ctx, endpointRequestOf(request), request.params['delivery']!), requested),
    'webhooks.replay': async (request) => item(await startReplay(ctx, endpointRequestOf(request), request.body)),
  } satisfies Partial<Handlers<'webhook'>>;
}

const requested = (attempt: Attempt) => item(presentAttempt(attempt));

type Row = z.output<typeof deliveryRow> | z.output<typeof qrDeliveryRow>;
type Delivery = z.output<typeof delivery> | z.output<typeof qrDelivery>;

/** Returns the link of an event under the field name of the deployment. */
const linkOf = (deployment: Deployment, { linkId = null }: Attempt) =>
  deployment === 'links' ? { link_id: linkId } : { qr_code_id: linkId };

function presentDeliveryRow(deployment: Deployment, attempt: Attempt): Row {
  return { ...presentAttempt(attempt), ...linkOf(deployment, attempt) };
}

/** A delivery with at least one attempt; the latest one has the body that all of them send. */
function presentDelivery(deployment: Deployment, attempts: [LoggedAttempt, ...LoggedAttempt[]]): Delivery {
  const [{ attempt: latest }] = attempts;
  return {
    id: latest.deliveryId,
    event_id: latest.eventId,
    event_type: latest.eventType,
    ...linkOf(deployment, latest),
    status: latest.status,
    payload: latest.body === null ? null : (JSON.parse(latest.body) as Record<string, unknown>),
    attempts: attempts.map(({ attempt, response }) => ({ ...presentAttempt(attempt), response })),
  };
}
