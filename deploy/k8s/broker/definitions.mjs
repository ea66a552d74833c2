import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkUrl, failCall, parseCall } from '../../images/parse-call.mjs';

const USAGE = `usage: node deploy/k8s/broker/definitions.mjs --deployment links|qr --amqp URL
  prints the exchanges, queues, limits and permissions of an installation, without its users and passwords:
  rabbitmqctl import_definitions FILE changes an installation that exists`;

/** Made from the code of the services by npm run broker:definitions, and committed: operators run this file without a build. */
const INSTALLATION = JSON.parse(readFileSync(new URL('installation.json', import.meta.url), 'utf8'));
/** The queues belong to the virtual host; KEDA reads their length only by the management port. */
const KEDA = { permissions: { configure: '^$', write: '^$', read: '^$' }, topic_permissions: [] };

/** Of AMQP_NAMESPACE. */
export const NAMESPACE = 'waymark';

export const AMQP_SCHEMES = ['amqp://', 'amqps://'];

export const userName = (deployment, service) => `${NAMESPACE}-${deployment}-${service}`;

export const vhostOf = (amqp) => decodeURIComponent(new URL(amqp).pathname.slice(1));

/** For `rabbitmqctl import_definitions`: everything but users. @param users service and user name of each */
export function definitionsFor(vhost, users) {
  const within = (rows) => rows.map((row) => ({ vhost, ...row }));
  const rightsOf = (service) => (service === 'keda' ? KEDA : INSTALLATION.users[service]);
  return {
    vhosts: [{ name: vhost }],
    permissions: users.map(({ service, name }) => ({ user: name, vhost, ...rightsOf(service).permissions })),
    topic_permissions: users.flatMap(({ service, name }) =>
      rightsOf(service).topic_permissions.map((permission) => ({ user: name, vhost, ...permission })),
    ),
    exchanges: within(INSTALLATION.exchanges),
    queues: within(INSTALLATION.queues),
    bindings: within(INSTALLATION.bindings),
    policies: within(INSTALLATION.policies),
  };
}

function main() {
  const { values } = parseCall({
    usage: USAGE,
    options: { deployment: { type: 'string' }, amqp: { type: 'string' } },
    required: () => ['deployment', 'amqp'],
  });
  if (!['links', 'qr'].includes(values.deployment)) failCall(USAGE, '--deployment must be links or qr');
  checkUrl({ usage: USAGE, values, name: 'amqp', schemes: AMQP_SCHEMES, needsPath: true });
  const services = Object.keys(INSTALLATION.users).filter((name) => name !== 'domain' || values.deployment === 'links');
  const users = [...services, 'keda'].map((service) => ({ service, name: userName(values.deployment, service) }));
  console.log(JSON.stringify(definitionsFor(vhostOf(values.amqp), users), null, 2));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
