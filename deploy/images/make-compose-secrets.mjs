import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSealingKey } from './make-keys.mjs';
import { failCall, parseCall } from './parse-call.mjs';
import { makeSecrets, mongoUsers, rabbitDefinitions, warehouseSecrets } from '../k8s/make-secrets.mjs';

const USAGE = 'usage: node deploy/images/make-compose-secrets.mjs links|qr FOLDER';
/** Of MongoDB's key file, with which the members of a replica set trust each other; it may hold 1024 characters. */
const KEY_FILE_BYTES = 512;

/** The files of each container by name; each container gets a folder of its own, which is a volume. */
function filesOf(deployment) {
  const amqp = `amqp://rabbitmq:5672/waymark-${deployment}`;
  const { secrets, users, operatorUrl } = makeSecrets({
    deployment,
    mongodb: 'mongodb://mongo:27017/?replicaSet=waymark',
    amqp,
    management: 'http://rabbitmq:15672',
  });
  // KEDA belongs to Kubernetes.
  delete secrets.keda;
  const brokerUsers = users.filter(({ service }) => service !== 'keda');
  return {
    ...secrets,
    operator: { AMQP_URL: operatorUrl },
    mongo: {
      'key-file': randomBytes(KEY_FILE_BYTES).toString('base64'),
      'root-password': randomBytes(24).toString('base64url'),
      'users.js': mongoUsers(users),
    },
    rabbitmq: { 'definitions.json': JSON.stringify(rabbitDefinitions(brokerUsers, amqp), null, 2) },
  };
}

/** Writes the secrets once: an installation keeps its first secrets. One of 0.1.0 gets those that are new since. */
function writeSecrets(deployment, folder) {
  const finished = join(folder, 'operator', 'finished');
  if (!existsSync(finished)) writeFiles(folder, filesOf(deployment));
  if (!existsSync(join(folder, 'clickhouse', 'users.xml'))) writeFiles(folder, warehouseSecrets(deployment));
  const hasTotpKey = existsSync(join(folder, 'auth', 'TOTP_SECRET_KEY'));
  if (!hasTotpKey) writeFiles(folder, { auth: { TOTP_SECRET_KEY: makeSealingKey() } });
  writeFileSync(finished, '');
}

function writeFiles(folder, filesByContainer) {
  for (const [container, files] of Object.entries(filesByContainer)) {
    const own = join(folder, container);
    mkdirSync(own, { recursive: true });
    // Access to a secret is controlled by access to its volume.
    for (const [name, text] of Object.entries(files)) writeFileSync(join(own, name), text, { mode: 0o644 });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals } = parseCall({ usage: USAGE, positionals: ['links or qr', 'FOLDER'] });
  const [deployment, folder] = positionals;
  if (!['links', 'qr'].includes(deployment)) failCall(USAGE, `the deployment is links or qr, not ${deployment}`);
  writeSecrets(deployment, folder);
}
