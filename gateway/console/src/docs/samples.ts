import type { Operation } from './document.js';
import { addressOf, given, textOf, type Values } from './request.js';

export const LANGUAGES = { curl: 'curl', typescript: 'TypeScript', python: 'Python' } as const;
export type Language = keyof typeof LANGUAGES;

export interface Sample {
  operation: Operation;
  values: Values;
  /** The origin of the API. */
  origin: string;
  /** The function of `@waymark/client` for this deployment. */
  client: string;
}

/** Returns a program that sends the request; it reads the token from `WAYMARK_TOKEN`. */
export const sampleOf = (language: Language, sample: Sample): string => WRITERS[language](sample);

const WRITERS: Record<Language, (sample: Sample) => string> = { curl, typescript, python };

const usesToken = ({ operation }: Sample): boolean => operation.access === 'token';

function curl(sample: Sample): string {
  const { operation, values, origin } = sample;
  const { method, body } = operation;
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const headers = Object.entries(given(operation, values, 'header')).map(([name, value]) => `${name}: ${value}`);
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(origin + addressOf(operation, values))}`,
    ...(usesToken(sample) ? ['-H "Authorization: Bearer $WAYMARK_TOKEN"'] : []),
    ...headers.map((header) => `-H ${quote(header)}`),
    ...(body ? [`-H ${quote(`Content-Type: ${body.type}`)}`, `-d ${quote(values.body)}`] : []),
  ].join(' \\\n  ');
}

function typescript(sample: Sample): string {
  const { operation, values, origin, client } = sample;
  const places = { path: 'path', query: 'query', header: 'header' } as const;
  const params = Object.entries(places)
    .map(([name, place]) => [name, typed(operation, given(operation, values, place))] as const)
    .filter(([, named]) => Object.keys(named).length > 0);
  const type = operation.answers.find(({ status }) => status.startsWith('2'))?.content?.type ?? 'application/json';
  const init = {
    ...(params.length > 0 && { params: Object.fromEntries(params) }),
    ...(operation.body && { body: parse(sample) }),
    ...(!type.includes('json') && { parseAs: type.startsWith('image/') ? 'blob' : 'text' }),
  };
  const options = [
    `baseUrl: ${literal(origin, TYPESCRIPT)}`,
    ...(usesToken(sample) ? ['token: process.env.WAYMARK_TOKEN'] : []),
  ];
  const argument = Object.keys(init).length > 0 ? `, ${literal(init, TYPESCRIPT)}` : '';
  return [
    `import { ${client} } from '@waymark/client';`,
    '',
    `const waymark = ${client}({ ${options.join(', ')} });`,
    `const { data } = await waymark.${operation.method}(${literal(operation.path, TYPESCRIPT)}${argument});`,
    'console.log(data);',
  ].join('\n');
}

/** The client takes numbers and booleans as such. */
function typed({ parameters }: Operation, values: Record<string, string>): Record<string, unknown> {
  const isText = (name: string) => {
    const type = parameters.find((each) => each.name === name)?.schema.type;
    return !['integer', 'number', 'boolean'].some((each) => [type].flat().includes(each));
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isText(name) || !/^(true|false|-?\d+)$/.test(value) ? value : (JSON.parse(value) as unknown),
    ]),
  );
}

function python(sample: Sample): string {
  const { operation, values, origin } = sample;
  const query = given(operation, values, 'query');
  const headers = Object.entries(given(operation, values, 'header')).map(
    ([name, value]) => `${literal(name, PYTHON)}: ${literal(value, PYTHON)}`,
  );
  const bearer = usesToken(sample) ? [`"Authorization": f"Bearer {os.environ['WAYMARK_TOKEN']}"`] : [];
  const allHeaders = [...bearer, ...headers];
  const path = addressOf(operation, values).split('?')[0]!;
  const lines = [
    literal(operation.method, PYTHON),
    literal(origin + path, PYTHON),
    ...(Object.keys(query).length > 0 ? [`params=${literal(query, PYTHON, 1)}`] : []),
    ...(allHeaders.length > 0 ? [`headers={${allHeaders.join(', ')}}`] : []),
    ...(operation.body ? [`json=${literal(parse(sample), PYTHON, 1)}`] : []),
    'timeout=30',
  ];
  const type = operation.answers.find(({ status }) => status.startsWith('2'))?.content?.type;
  const result = type === undefined ? 'status_code' : type.includes('json') ? 'json()' : 'content';
  return [
    ...(usesToken(sample) ? ['import os', ''] : []),
    'import requests',
    '',
    'response = requests.request(',
    ...lines.map((line) => `    ${line},`),
    ')',
    'response.raise_for_status()',
    `print(response.${result})`,
  ].join('\n');
}

/** The body as it was typed, or the example while that is no JSON. */
function parse({ operation, values }: Sample): unknown {
  try {
    return JSON.parse(values.body);
  } catch {
    return JSON.parse(textOf(operation.body?.example ?? {}));
  }
}

const LINE_MAX = 60;

interface Notation {
  indent: string;
  words: Record<string, string>;
  text: (value: string) => string;
  key: (name: string) => string;
}

const singleQuoted = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const TYPESCRIPT: Notation = {
  indent: '  ',
  words: { null: 'null', true: 'true', false: 'false' },
  text: singleQuoted,
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : singleQuoted(name)),
};
const PYTHON: Notation = {
  indent: '    ',
  words: { null: 'None', true: 'True', false: 'False' },
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
};

/** Writes a JSON value as a literal of the language; what is short stays on one line. */
function literal(value: unknown, notation: Notation, depth = 0): string {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value !== 'object' || value === null) return notation.words[String(value)] ?? String(value);
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(
    ([name, each]) => `${isList ? '' : `${notation.key(name)}: `}${literal(each, notation, depth + 1)}`,
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return `${open}${close}`;
  const space = isList ? '' : ' ';
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (line.length <= LINE_MAX && !line.includes('\n')) return line;
  const [inner, outer] = [depth + 1, depth].map((count) => `\n${notation.indent.repeat(count)}`);
  return `${open}${inner}${parts.join(`,${inner}`)},${outer}${close}`;
}
