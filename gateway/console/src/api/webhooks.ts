import { api, send, type Schemas } from './client.js';

export type Webhook = Schemas['Webhook'];
export type DeliveryRow = Schemas['DeliveryRow'];
export type Delivery = Schemas['Delivery'];
/** The events of this deployment, which the gateway names; the server checks them. */
type Checked<T> = T & { event_types: never[] };
export type WebhookFields = Pick<Webhook, 'url' | 'description' | 'event_types' | 'enabled'>;

const WEBHOOKS = '/api/v1/workspaces/{workspace}/webhooks';
const WEBHOOK = `${WEBHOOKS}/{id}` as const;
const DELIVERY = `${WEBHOOK}/deliveries/{delivery}` as const;

export const listWebhooks = async (workspace: string) =>
  (await send(api.GET(WEBHOOKS, { params: { path: { workspace } } }))).data;

export const showWebhook = async (workspace: string, id: string) =>
  (await send(api.GET(WEBHOOK, { params: { path: { workspace, id } } }))).data;

/** Returns the signing secret, which the server does not tell again. */
export const createWebhook = async (workspace: string, fields: WebhookFields) => {
  const body = fields as Checked<WebhookFields>;
  return (await send(api.POST(WEBHOOKS, { params: { path: { workspace } }, body }))).meta.signing_secret;
};

export const updateWebhook = (workspace: string, id: string, fields: WebhookFields) => {
  const body = fields as Checked<WebhookFields>;
  return send(api.PATCH(WEBHOOK, { params: { path: { workspace, id } }, body }));
};

export const rotateSecret = async (workspace: string, id: string) => {
  const body = { rotate_secret: true };
  return (await send(api.PATCH(WEBHOOK, { params: { path: { workspace, id } }, body }))).meta?.signing_secret;
};

export const deleteWebhook = (workspace: string, id: string) =>
  send(api.DELETE(WEBHOOK, { params: { path: { workspace, id } } }));

export const sendTestEvent = (workspace: string, id: string) =>
  send(api.POST(`${WEBHOOK}/test`, { params: { path: { workspace, id } } }));

export interface DeliveryFilters {
  status?: string;
  event_type?: string;
  cursor?: string;
}
/** The server checks what came from the address of the page. */
const untyped = (params: object): object => params;

export const listDeliveries = (workspace: string, id: string, filters: DeliveryFilters) =>
  send(
    api.GET(`${WEBHOOK}/deliveries`, {
      params: { path: { workspace, id }, query: untyped({ ...filters, per_page: 25 }) },
    }),
  );

export const showDelivery = async (workspace: string, id: string, delivery: string) =>
  (await send(api.GET(DELIVERY, { params: { path: { workspace, id, delivery } } }))).data;

/** Returns the number of deliveries that are sent again. */
export const replayDeliveries = async (
  workspace: string,
  id: string,
  period: { from: string; to: string; event_types: string[] | null },
) => {
  const body = period as Omit<typeof period, 'event_types'> & { event_types: never[] | null };
  return (await send(api.POST(`${WEBHOOK}/replay`, { params: { path: { workspace, id } }, body }))).data.deliveries;
};

export const resendDelivery = (workspace: string, id: string, delivery: string) =>
  send(api.POST(`${DELIVERY}/retry`, { params: { path: { workspace, id, delivery } } }));
