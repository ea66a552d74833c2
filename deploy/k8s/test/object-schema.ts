import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Ajv from 'ajv';
import type { KubernetesObject } from './overlay.js';

const CLIENT = dirname(require.resolve('@kubernetes/client-node/package.json'));
const MODELS = join(CLIENT, 'dist/gen/models');
const PRIMITIVES = new Set(['string', 'number', 'boolean']);

interface Attribute {
  type: string;
  isOptional: boolean;
}

/**
 * The fields of a type of Kubernetes' API, as the client that is generated from its specification declares them.
 * `_from` stands for `from`, a word of the language.
 */
function attributesOf(type: string): Map<string, Attribute> | undefined {
  const file = join(MODELS, `${type}.d.ts`);
  if (!existsSync(file)) return undefined;
  const fields = readFileSync(file, 'utf8').matchAll(/^ {4}'_?([^']+)'(\?)?: (\{[^}]*\}|.+);$/gm);
  return new Map([...fields].map(([, name = '', mark, of = '']) => [name, { type: of, isOptional: mark === '?' }]));
}

/** Returns the problems of a value that should be of this type, each with its path. */
function problemsOf(value: unknown, type: string, path: string): string[] {
  const list = /^Array<(.+)>$/.exec(type)?.[1];
  const map = /^\{\s*\[key: string\]: (.+?);?\s*\}$/.exec(type)?.[1];
  if (type === 'any' || type === 'object') return [];
  if (type === 'Date') return typeof value === 'string' ? [] : [`${path}: not a time`];
  if (type === 'IntOrString')
    return ['string', 'number'].includes(typeof value) ? [] : [`${path}: not a number or text`];
  if (PRIMITIVES.has(type)) return typeof value === type ? [] : [`${path}: not a ${type}`];
  if (list !== undefined) {
    if (!Array.isArray(value)) return [`${path}: not a list`];
    return value.flatMap((item, index) => problemsOf(item, list, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: not an object`];
  const entries = Object.entries(value);
  if (map !== undefined) return entries.flatMap(([key, item]) => problemsOf(item, map, `${path}.${key}`));
  const attributes = attributesOf(type);
  if (!attributes) return [`${path}: no type ${type} is known`];
  const missing = [...attributes].filter(([name, { isOptional }]) => !isOptional && !(name in value));
  return [
    ...missing.map(([name]) => `${path}.${name}: missing`),
    ...entries.flatMap(([name, item]) => {
      const attribute = attributes.get(name);
      return attribute ? problemsOf(item, attribute.type, `${path}.${name}`) : [`${path}.${name}: unknown field`];
    }),
  ];
}

/** Custom resources: the schema of the `spec`, by API group and kind. */
const CUSTOM: Record<string, string> = {
  'clickhouse.altinity.com/v1': 'clickhouse-operator',
  'clickhouse-keeper.altinity.com/v1': 'clickhouse-operator',
  'keda.sh/v1alpha1': 'keda',
  'monitoring.coreos.com/v1': 'prometheus-operator',
};

export function schemaProblems(object: KubernetesObject): string[] {
  const { apiVersion, kind } = object;
  const custom = CUSTOM[apiVersion];
  if (custom) return customProblems(object, custom);
  const [version = '', group] = apiVersion.split('/').reverse();
  const type = `${version[0]!.toUpperCase()}${version.slice(1)}${kind}`;
  if (group !== undefined && !GROUPS.has(group)) return [`${apiVersion}: unknown group`];
  return problemsOf(object, type, kind);
}

const GROUPS = new Set(['apps', 'autoscaling', 'policy', 'networking.k8s.io']);

function customProblems({ kind, spec, metadata, ...rest }: KubernetesObject, file: string): string[] {
  const schema = JSON.parse(readFileSync(join(__dirname, `schemas/${file}.json`), 'utf8')) as Record<string, object>;
  if (!(kind in schema)) return [`${kind}: no schema`];
  const validate = new Ajv({ allErrors: true, strict: false }).compile({
    definitions: schema['definitions'],
    ...schema[kind],
  });
  validate(spec);
  return [
    ...problemsOf(metadata, 'V1ObjectMeta', `${kind}.metadata`),
    ...Object.keys(rest).flatMap((name) => (name === 'apiVersion' ? [] : [`${kind}.${name}: unknown field`])),
    ...(validate.errors ?? []).map(({ instancePath, message, params }) =>
      [`${kind}.spec${instancePath}`, message, JSON.stringify(params)].join(' '),
    ),
  ];
}
