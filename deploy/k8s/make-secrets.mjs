import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URLSearchParams } from 'node:url';
import { deriveIdentityKey, makeKeys } from '../images/make-keys.mjs';
import { checkUrl, failCall, parseCall } from '../images/parse-call.mjs';
import { AMQP_SCHEMES, definitionsFor, NAMESPACE, userName, vhostOf } from './broker/definitions.mjs';

/** The address in the base and in Docker Compose. */
export const CLICKHOUSE = 'http://clickhouse:8123';

const USAGE = `usage: node deploy/k8s/make-secrets.mjs --deployment links|qr --mongodb URI --amqp URL --management URL --out FOLDER
       node deploy/k8s/make-secrets.mjs --deployment links|qr --only clickhouse --out FOLDER
  --mongodb     the replica set without user and database, e.g. 'mongodb+srv://cluster.example.com/?retryWrites=true'
  --amqp        the broker and a virtual host of this installation alone, e.g. 'amqps://broker.example.com:5671/waymark-links'
  --management  the broker's management port, e.g. 'https://broker.example.com:15671'
  --clickhouse  the warehouse without user and database; default ${CLICKHOUSE}, the one of the base
  --only        for an installation that was made without a warehouse`;

const HTTP_SCHEMES = ['http://', 'https://'];
const URLS = [
  { name: 'amqp', schemes: AMQP_SCHEMES, needsPath: true },
  { name: 'management', schemes: HTTP_SCHEMES },
  { name: 'clickhouse', schemes: HTTP_SCHEMES },
];

/** Scheme, members and query, without user and database. */
const BARE_MONGODB = /^(mongodb(?:\+srv)?:\/\/)([^/?@]+)\/?(?:\?(.*))?$/;
const MEMBER = /^(?:\[[\da-f:.]+\]|[^:[\]\s]+)(?::(\d+))?$/i;
/** Of `mongodb+srv`: DNS has the members and their ports. */
const SRV_NAME = /^[^:[\]\s,]+$/;

const SERVICES = { links: ['domain'], qr: [] };
const COMMON = ['auth', 'resource', 'redirect', 'analytics', 'webhook', 'audit'];

/**
 * Makes the secrets of one installation, and their users: each service has its own user on both servers, which can
 * access only the service's database and queues.
 */
export function makeSecrets({ deployment, mongodb, amqp, management, clickhouse = CLICKHOUSE, keys = makeKeys() }) {
  const services = [...COMMON, ...SERVICES[deployment]];
  const users = [...services, 'operator', 'keda'].map((service) => makeUser(deployment, service));
  const userOf = (service) => users.find((user) => user.service === service);
  const backing = (service) => ({
    MONGODB_URI: databaseOf(mongodb, userOf(service)),
    AMQP_URL: withUser(amqp, userOf(service)),
  });
  const secrets = {
    gateway: { IDENTITY_SECRET: keys.IDENTITY_SECRET },
    ...Object.fromEntries(services.map((service) => [service, backing(service)])),
    keda: { RABBITMQ_MANAGEMENT_URL: withUser(management, userOf('keda'), new URL(amqp).pathname.slice(1)) },
  };
  for (const service of services.filter((name) => name !== 'redirect'))
    secrets[service].IDENTITY_KEY = deriveIdentityKey(keys.IDENTITY_SECRET, service);
  secrets.webhook.WEBHOOK_SECRET_KEY = keys.WEBHOOK_SECRET_KEY;
  secrets.auth.TOTP_SECRET_KEY = keys.TOTP_SECRET_KEY;
  secrets.audit.AUDIT_SIGNING_KEY = keys.AUDIT_SIGNING_KEY;
  const warehouse = warehouseSecrets(deployment, clickhouse);
  Object.assign(secrets.analytics, warehouse.analytics);
  secrets.clickhouse = warehouse.clickhouse;
  return { secrets, users, operatorUrl: withUser(amqp, userOf('operator')) };
}

/** Makes the secrets that only analytics and its warehouse share. */
export function warehouseSecrets(deployment, clickhouse = CLICKHOUSE) {
  const user = makeUser(deployment, 'analytics');
  return {
    analytics: { CLICKHOUSE_URL: withUser(clickhouse, user, user.database) },
    clickhouse: { 'users.xml': clickHouseUsers(user), password_sha256_hex: hashOf(user) },
  };
}

function makeUser(deployment, service) {
  const name = userName(deployment, service);
  return { service, name, database: name, password: randomBytes(24).toString('base64url') };
}

function withUser(address, { name, password }, path) {
  const url = new URL(address);
  url.username = name;
  url.password = password;
  if (path !== undefined) url.pathname = `/${path}`;
  return url.href;
}

function isBareMongodb(address) {
  const [, scheme, members = ''] = BARE_MONGODB.exec(address) ?? [];
  return scheme === 'mongodb+srv://' ? SRV_NAME.test(members) : members.split(',').every(isMember);
}

function isMember(text) {
  const [host, port = '27017'] = MEMBER.exec(text) ?? [];
  return host !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}

/** Commas separate the members of a replica set, which URL does not parse. */
function databaseOf(address, { name, password, database }) {
  const [, scheme, members, query] = BARE_MONGODB.exec(address);
  const options = new URLSearchParams(query);
  options.set('authSource', database);
  return `${scheme}${name}:${password}@${members}/${database}?${options}`;
}

/** Returns objects for `kubectl apply`; the name of a Secret is that of its process. */
export function secretObjects(deployment, secrets) {
  const items = Object.entries(secrets).map(([process, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${process}-secrets`, namespace: `${NAMESPACE}-${deployment}` },
    stringData,
  }));
  return { apiVersion: 'v1', kind: 'List', items };
}

/**
 * For mongosh, as an administrator: each user owns its own database, and sees no other. A second run brings the rights
 * of an earlier version up to date, and changes no password.
 */
export function mongoUsers(users) {
  const calls = users
    .filter(({ service }) => COMMON.includes(service) || SERVICES.links.includes(service))
    .flatMap(({ service, name, database, password }) => {
      const role = service === 'audit' ? auditRole(database) : undefined;
      const user = { user: name, pwd: password, roles: [{ role: role?.role ?? 'readWrite', db: database }] };
      const on = `db.getSiblingDB('${database}')`;
      const createRole = role ? [`saveRole(${on}, ${JSON.stringify(role)});`] : [];
      return [...createRole, `saveUser(${on}, ${JSON.stringify(user)});`];
    });
  return `${[saveRole, saveUser, ...calls].join('\n')}\n`;
}

/** Runs in mongosh. */
function saveRole(database, role) {
  if (database.getRole(role.role)) database.updateRole(role.role, { privileges: role.privileges, roles: role.roles });
  else database.createRole(role);
}

/** Runs in mongosh. */
function saveUser(database, user) {
  if (database.getUser(user.user)) database.updateUser(user.user, { roles: user.roles });
  else database.createUser(user);
}

/**
 * The audit service changes and removes entries of its log for erasures alone; a change without the service's signature
 * breaks the chain.
 */
function auditRole(database) {
  const adds = ['find', 'insert', 'createCollection', 'createIndex'];
  const on = (collection, actions) => ({ resource: { db: database, collection }, actions });
  const collections = ['log_entries', 'waiting_entries', 'heads', 'tallies', 'erasures', 'outbox', 'leases'];
  const privileges = collections.map((name) => on(name, [...adds, 'update', 'remove']));
  return { role: 'auditService', privileges, roles: [] };
}

const hashOf = ({ password }) => createHash('sha256').update(password).digest('hex');

/** For ClickHouse's `users.d`: analytics owns its database; the administrator can log in only inside the container. */
function clickHouseUsers({ name, database, password }) {
  return `<clickhouse>
  <users>
    <default>
      <networks replace="replace"><ip>127.0.0.1</ip><ip>::1</ip></networks>
    </default>
    <${name}>
      <password_sha256_hex>${hashOf({ password })}</password_sha256_hex>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT ALL ON \`${database}\`.*</query>
      </grants>
    </${name}>
  </users>
</clickhouse>
`;
}

/** For `rabbitmqctl import_definitions`: the users with their permissions, and all exchanges, queues and limits. */
export function rabbitDefinitions(users, amqp) {
  return {
    users: users.map(({ service, name, password }) => ({
      name,
      password,
      tags: service === 'keda' ? ['monitoring'] : [],
    })),
    ...definitionsFor(vhostOf(amqp), users),
  };
}

function allFiles(values) {
  const { secrets, users, operatorUrl } = makeSecrets(values);
  return {
    'secrets.json': JSON.stringify(secretObjects(values.deployment, secrets), null, 2),
    'mongodb-users.js': mongoUsers(users),
    'rabbitmq-users.json': JSON.stringify(rabbitDefinitions(users, values.amqp), null, 2),
    'operator-amqp-url': operatorUrl,
  };
}

/** A separate Secret, and the additions to that of analytics. */
function warehouseFiles({ deployment, clickhouse }) {
  const made = warehouseSecrets(deployment, clickhouse);
  return {
    'secrets.json': JSON.stringify(secretObjects(deployment, { clickhouse: made.clickhouse }), null, 2),
    'analytics-patch.json': JSON.stringify({ stringData: made.analytics }),
  };
}

function main() {
  const names = ['deployment', 'mongodb', 'amqp', 'management', 'clickhouse', 'only', 'out'];
  const { values } = parseCall({
    usage: USAGE,
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: ({ only }) => ['deployment', ...(only === undefined ? ['mongodb', 'amqp', 'management'] : []), 'out'],
  });
  if (!Object.hasOwn(SERVICES, values.deployment)) failCall(USAGE, '--deployment must be links or qr');
  if (![undefined, 'clickhouse'].includes(values.only)) failCall(USAGE, '--only must be clickhouse');
  for (const url of URLS) checkUrl({ usage: USAGE, values, ...url });
  if (values.mongodb !== undefined && !isBareMongodb(values.mongodb))
    failCall(USAGE, '--mongodb must be a valid MongoDB URI without user and database');
  const files = values.only === 'clickhouse' ? warehouseFiles(values) : allFiles(values);
  // Fails if the folder exists, so as not to overwrite an installation's secrets.
  mkdirSync(values.out, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(values.out, name), text, { mode: 0o600 });
  console.log(`written to ${values.out}: ${Object.keys(files).join(', ')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
