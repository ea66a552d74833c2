import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto';
import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { ConnectionString } from 'mongodb-connection-string-url';
import { z } from 'zod';
import { commaList, httpOrigin } from '@waymark/contract/common';
import { deployment } from '@waymark/contract/deployments';
import { DECLARES } from './declares.js';
import { SECRET_KEY_BYTES } from '../secret-box.js';

export class ConfigError extends Error {}

const port = z.coerce.number().int().min(0).max(65535);
const flag = z.stringbool();
/** An integer of milliseconds, bytes or items, at least `min`. */
const integer = (min: number) => z.coerce.number().int().min(min);
/** Text with line breaks (a PEM key) may be written in one line with `\n`. */
const pem = z.string().transform((value) => value.replaceAll('\\n', '\n'));
/** Parsed once: a signature with the text would parse it each time. */
const privateKey = pem.transform((value, ctx) => {
  try {
    return createPrivateKey(value);
  } catch {
    ctx.addIssue({ code: 'custom', message: 'must be a private key (PEM)' });
    return z.NEVER;
  }
});
/** One key, or several concatenated: a signature by any of them is valid. */
const publicKeys = pem.transform((value, ctx) => {
  try {
    return value.split(/(?=-----BEGIN )/).map((block) => createPublicKey(block));
  } catch {
    ctx.addIssue({ code: 'custom', message: 'must be one or more public keys (PEM)' });
    return z.NEVER;
  }
});
const nameServers = commaList.refine(areNameServers, 'must be address[:port], several with commas');

const isSecretKey = (text: string): boolean =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text, 'base64').length === SECRET_KEY_BYTES;
const secretKey = z
  .string()
  .refine(isSecretKey, 'must be base64 of 32 bytes')
  .transform((key) => createSecretKey(key, 'base64'));
const secretKeyList = commaList.refine(
  (keys) => keys.length > 0 && keys.every(isSecretKey),
  'must be base64 of 32 bytes, or several with commas',
);
const secretKeys = secretKeyList.transform((keys) => keys.map((key) => createSecretKey(key, 'base64')));
/** The first seals, all open. */
const sealingKeys = secretKeyList.transform((keys) => keys.map((key) => Buffer.from(key, 'base64')));

/** Every client decodes the credentials in its URL: a single `%` would be an error, or the start of another character. */
const ENCODED_CREDENTIALS = 'must have a percent-encoded user and password (write % as %25)';

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isServerUrl(text: string, protocol: RegExp): boolean {
  const url = URL.parse(text);
  return url !== null && protocol.test(url.protocol) && url.hostname !== '';
}

const hasEncodedCredentials = (text: string): boolean => {
  const { username, password } = new URL(text);
  return isPercentEncoded(username) && isPercentEncoded(password);
};

/** The URL of a server. Its credentials are in no message. @param protocol with its colon, as in `URL.protocol` */
const serverUrl = (protocol: RegExp, error: string) =>
  z
    .string()
    .refine((text) => isServerUrl(text, protocol), { error, abort: true })
    .refine(hasEncodedCredentials, { error: ENCODED_CREDENTIALS, abort: true });

export const setting = {
  port,
  flag,
  integer,
  commaList,
  nameServers,
  privateKey,
  publicKeys,
  secretKey,
  sealingKeys,
  httpOrigin,
  serverUrl,
};

/** Read by every process. */
export const processConfig = z.object({
  DEPLOYMENT: deployment.default('links'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  HOST: z.string().default('0.0.0.0'),
  /** Health, readiness and metrics; never reachable from outside. */
  OPS_PORT: port.default(9090),
  /** Open connections of clients; further ones are closed at once. */
  CONNECTIONS_MAX: integer(1).default(5000),
});
export type ProcessConfig = z.infer<typeof processConfig>;

/**
 * Returns whether the driver takes the host. The scheme is not special: with `http`, a name that ends in a number would be
 * an IPv4 address.
 * @throws TypeError or URIError if the host cannot be parsed
 */
function isMongoHost(host: string): boolean {
  if (decodeURIComponent(host).endsWith('.sock')) return true;
  const { hostname, port } = new URL(`mongo://${host}`);
  return hostname !== '' && port !== '0';
}

/** Unlike a URL it may have several hosts, or the path of a socket. */
function isMongoUri(text: string): boolean {
  try {
    return new ConnectionString(text).hosts.every(isMongoHost);
  } catch {
    return false;
  }
}

export const databaseConfig = z.object({
  MONGODB_URI: z
    .string()
    .refine(
      isMongoUri,
      'must be a MongoDB URI with valid hosts and ports, and a percent-encoded user and password (write % as %25)',
    ),
});

const AMQP = /^amqps?:$/;

export const brokerConfig = z.object({
  /** Separate the addresses of several nodes of one cluster with commas. */
  AMQP_URL: z
    .string()
    .refine((text) => text.split(',').every((url) => isServerUrl(url, AMQP)), {
      error: 'must be an AMQP URL with a valid host and port, or several with commas between them',
      abort: true,
    })
    .refine((text) => text.split(',').every(hasEncodedCredentials), ENCODED_CREDENTIALS),
  /** Prefix of every exchange and queue: lets several installations share one virtual host. */
  AMQP_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('waymark'),
  /**
   * Whether the process declares `all` queues of the installation, its `own` alone, or `none` and checks them instead.
   * By default a service with a broker user of its own declares none: that user has no right to.
   */
  AMQP_DECLARE: z.enum(DECLARES).optional(),
});

/** Read by the services that store where visitors are sent. */
export const destinationConfig = z.object({
  /** Whether links may lead to addresses and names of a private network. */
  ALLOW_PRIVATE_DESTINATIONS: flag.default(false),
});

/** Read by every service behind the gateway. */
export const apiConfig = z.object({
  PORT: port.default(8080),
  /** The service's own key; several while the gateway's secret is replaced. */
  IDENTITY_KEY: secretKeys,
  /** Public address of the API, without a slash at the end. */
  API_BASE_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
});

/** A value may also come from the file that `NAME_FILE` names, as secrets do in Kubernetes. */
function readFiles(env: NodeJS.ProcessEnv, names: string[]): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = {};
  for (const name of names) {
    const file = env[`${name}_FILE`];
    const value = env[name] ?? (file === undefined ? undefined : readFile(name, file));
    // Compose and Kubernetes set empty variables: treat them as absent.
    values[name] = value === '' ? undefined : value;
  }
  return values;
}

function readFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    throw new ConfigError(`${name}_FILE: cannot read ${file}`);
  }
}

/** Parses the environment; one ConfigError lists all problems in one line. */
export function loadConfig<T extends z.ZodObject>(schema: T, env: NodeJS.ProcessEnv): z.output<T> {
  const result = schema.safeParse(readFiles(env, Object.keys(schema.shape)));
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const name = issue.path.join('.');
    return issue.code === 'invalid_type' && env[name] === undefined
      ? `${name} is not set`
      : `${name}: ${issue.message}`;
  });
  throw new ConfigError(problems.join('; '));
}

function areNameServers(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
}
