import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeKeys } from './make-keys.mjs';
import { failCall, parseCall } from './parse-call.mjs';
import { makeSecrets, mongoUsers, rabbitDefinitions, warehouseSecrets } from '../k8s/make-secrets.mjs';

const USAGE = 'usage: node deploy/images/make-compose-secrets.mjs links|qr FOLDER';
/** Of MongoDB's key file, with which the members of a replica set trust each other; it may hold 1024 characters. */
const KEY_FILE_BYTES = 512;

/**
 * The first run makes all secrets. Further runs keep them and add those that a later version needs. Every run writes the
 * users' rights and the broker's queues of this version, because both servers apply them at each start of the stack.
 */
function writeSecrets(deployment, folder) {
  const finished = join(folder, 'operator', 'finished');
  const isFirst = !existsSync(finished);
  const keys = makeKeys();
  const secretFile = join(folder, 'gateway', 'IDENTITY_SECRET');
  // The key of a service that a later version adds is derived from the gateway's existing secret.
  if (!isFirst && existsSync(secretFile)) keys.IDENTITY_SECRET = readFileSync(secretFile, 'utf8');
  const { secrets, users, amqp } = makeComposeSecrets(deployment, keys);
  // Written together: both sides of the warehouse's password.
  if (!isFirst && !existsSync(join(folder, 'clickhouse', 'users.xml')))
    writeFiles(folder, warehouseSecrets(deployment));
  writeFiles(folder, secrets, { replace: isFirst });
  writeFiles(folder, serverFiles(folder, users, amqp));
  writeFileSync(finished, '');
}

/** The secrets of each container by name; each container gets a folder of its own, which is a volume. */
function makeComposeSecrets(deployment, keys) {
  const amqp = `amqp://rabbitmq:5672/waymark-${deployment}`;
  const { secrets, users, operatorUrl } = makeSecrets({
    deployment,
    mongodb: 'mongodb://mongo:27017/?replicaSet=waymark',
    amqp,
    management: 'http://rabbitmq:15672',
    keys,
  });
  // KEDA belongs to Kubernetes.
  delete secrets.keda;
  const mongo = {
    'key-file': randomBytes(KEY_FILE_BYTES).toString('base64'),
    'root-password': randomBytes(24).toString('base64url'),
  };
  const composeUsers = users.filter(({ service }) => service !== 'keda');
  return { secrets: { ...secrets, operator: { AMQP_URL: operatorUrl }, mongo }, users: composeUsers, amqp };
}

/** The users of both servers, with the passwords that the services have in their addresses. */
function serverFiles(folder, users, amqp) {
  const withPasswords = (services, file) =>
    services.map((user) => ({ ...user, password: passwordIn(join(folder, user.service, file)) }));
  const withDatabase = users.filter(({ service }) => service !== 'operator');
  const definitions = rabbitDefinitions(withPasswords(users, 'AMQP_URL'), amqp);
  return {
    mongo: { 'users.js': mongoUsers(withPasswords(withDatabase, 'MONGODB_URI')) },
    rabbitmq: { 'definitions.json': JSON.stringify(definitions, null, 2) },
  };
}

function passwordIn(file) {
  const [, password] = /:\/\/[^:@/]+:([^@/]+)@/.exec(readFileSync(file, 'utf8')) ?? [];
  if (!password) throw new Error(`${file} has no password`);
  return decodeURIComponent(password);
}

function writeFiles(folder, filesByContainer, { replace = true } = {}) {
  for (const [container, files] of Object.entries(filesByContainer)) {
    const own = join(folder, container);
    mkdirSync(own, { recursive: true });
    for (const [name, text] of Object.entries(files))
      if (replace || !existsSync(join(own, name))) writeWhole(join(own, name), text);
  }
}

/** Renames a finished file into place: a server that starts meanwhile never reads half of one. */
function writeWhole(file, text) {
  // Access to a secret is controlled by access to its volume.
  writeFileSync(`${file}.new`, text, { mode: 0o644 });
  renameSync(`${file}.new`, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals } = parseCall({ usage: USAGE, positionals: ['links or qr', 'FOLDER'] });
  const [deployment, folder] = positionals;
  if (!['links', 'qr'].includes(deployment)) failCall(USAGE, `the deployment is links or qr, not ${deployment}`);
  writeSecrets(deployment, folder);
}
