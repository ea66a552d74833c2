/** Every service that has a broker user of its own. */
export const BROKER_SERVICES = ['auth', 'resource', 'redirect', 'analytics', 'webhook', 'domain', 'audit'] as const;
export type BrokerService = (typeof BROKER_SERVICES)[number];
