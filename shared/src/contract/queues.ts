/** Every work queue of an installation; each has a `.retry` and a `.parked` queue beside it. */
export const WORK_QUEUES = [
  'analytics.links',
  'analytics.scans',
  'audit.entries',
  'redirect.domains',
  'redirect.targets',
  'resource.domains',
  'resource.scans',
  'webhook.events',
] as const;
export type WorkQueue = (typeof WORK_QUEUES)[number];
