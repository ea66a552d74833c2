import type { z } from 'zod';
import { warehouseConfig } from '@waymark/analytics/config';
import { authConfig } from '@waymark/auth/config';
import { brokerConfig, ConfigError, databaseConfig, loadConfig } from '@waymark/kernel/process/config';
import { webhookConfig } from '@waymark/webhook/config';

const PASSWORD = 'correct-horse';

const SETTINGS: [name: string, schema: z.ZodObject, scheme: string, path: string][] = [
  ['MONGODB_URI', databaseConfig, 'mongodb', '/links?replicaSet=rs0'],
  ['AMQP_URL', brokerConfig, 'amqp', '/links'],
  ['CLICKHOUSE_URL', warehouseConfig, 'http', '/links'],
  ['SMTP_URL', authConfig.pick({ SMTP_URL: true }), 'smtp', ''],
  ['WEBHOOK_PROXY_URL', webhookConfig.pick({ WEBHOOK_PROXY_URL: true }), 'http', ''],
];

const MISTAKES: [what: string, urlOf: (scheme: string, path: string) => string, reason: RegExp][] = [
  ['a port above 65535', (scheme, path) => `${scheme}://someone:${PASSWORD}@server:99999${path}`, /must be an? /],
  ['another scheme', (_scheme, path) => `ftp://someone:${PASSWORD}@server${path}`, /must be an? /],
  ['no scheme', (_scheme, path) => `someone:${PASSWORD}@server${path}`, /must be an? /],
  ['a host with a space', (scheme, path) => `${scheme}://someone:${PASSWORD}@the server${path}`, /must be an? /],
  ['no host', (scheme, path) => `${scheme}://someone:${PASSWORD}@${path}`, /must be an? /],
  ['a lone % in the password', (scheme, path) => `${scheme}://someone:${PASSWORD}%@server${path}`, /write % as %25/],
  ['a lone % in the user', (scheme, path) => `${scheme}://someone%:${PASSWORD}@server${path}`, /write % as %25/],
];

describe.each(SETTINGS)('%s', (name, schema, scheme, path) => {
  test.each(MISTAKES)('with %s stops the start with one line that holds no credentials', (_what, urlOf, reason) => {
    const load = () => loadConfig(schema, { [name]: urlOf(scheme, path) });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(new RegExp(`^${name}: [^\\n]*$`));
    expect(load).toThrow(reason);
    expect(load).not.toThrow(new RegExp(`someone|${PASSWORD}`));
  });

  test('accepts percent-encoded credentials, and none', () => {
    for (const credentials of [`someone:${PASSWORD}%25%40`, `someone%2B:${PASSWORD}`, '']) {
      const url = `${scheme}://${credentials && `${credentials}@`}server:1234${path}`;
      expect(loadConfig(schema, { [name]: url })).toMatchObject({ [name]: url });
    }
  });
});

test('several addresses may be given for the nodes of a cluster of the database or the broker', () => {
  const uris = [
    'mongodb://a:b@db-0:27017,db-1:27018,[::1]/links',
    'mongodb://mongo.1:27017,mongo.2:27017',
    'mongodb+srv://a:b@db.example.com',
  ];
  for (const MONGODB_URI of uris) {
    expect(loadConfig(databaseConfig, { MONGODB_URI })).toEqual({ MONGODB_URI });
  }
  const AMQP_URL = 'amqp://a:b@mq-0:5672/links,amqps://a:b@mq-1/links';
  expect(loadConfig(brokerConfig, { AMQP_URL })).toMatchObject({ AMQP_URL });
  for (const second of ['amqp://a:b@mq-1:99999', 'amqp://a:b%@mq-1']) {
    expect(() => loadConfig(brokerConfig, { AMQP_URL: `${AMQP_URL},${second}` })).toThrow(ConfigError);
  }
});

test.each(['db,', ',db', 'a,,b', 'db:0', 'db:99999', '%', 'a%zz', 'the db'])(
  'rejects "%s" as MongoDB hosts',
  (hosts) => {
    const load = () => loadConfig(databaseConfig, { MONGODB_URI: `mongodb://someone:${PASSWORD}@${hosts}/links` });
    expect(load).toThrow(/^MONGODB_URI: must be a MongoDB URI [^\n]*$/);
    expect(load).not.toThrow(PASSWORD);
  },
);
