export {
  linksClient,
  newRequestKey,
  qrClient,
  type ClientOptions,
  type LinksClient,
  type LinksSchemas,
  type QrClient,
  type QrSchemas,
  type WaymarkClient,
} from './client.js';
export { WaymarkError, type Problem } from './error.js';
export * as webhooks from './webhooks.js';
export type { LinksEvent, QrEvent } from './webhooks.js';
