import type { Operation, Parameter } from './document.js';
import { literal, Name, PYTHON, TYPESCRIPT } from './literal.js';
import { addressOf, given, keyOf, textOf, type Values } from './request.js';

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

/** Returns the command that installs the client, which the gateway serves. */
export const installCommand = (origin: string): string => `npm install ${origin}${CLIENT_PATH}`;

export const CLIENT_PATH = '/docs/waymark-client.tgz';

const usesToken = ({ operation }: Sample): boolean => operation.access === 'token';

const KEY_HEADER = 'Idempotency-Key';

/** Only programs without the client need a key of their own: the client adds one. */
const needsKey = ({ operation, values }: Sample): boolean =>
  operation.parameters.some((each) => each.name === KEY_HEADER && !values.parameters[keyOf(each)]);

/** Required parameters without a value: a program names them at its beginning, to be filled in. */
const missing = ({ operation, values }: Sample): Parameter[] =>
  operation.parameters.filter((each) => each.required && !values.parameters[keyOf(each)]);

/** Returns what the reader replaces: descriptions say how an id begins (`lnk_…`). */
const placeholderOf = ({ schema, description = '' }: Parameter): string =>
  typeof schema.example === 'string' ? schema.example : (/`(\w+_…)`/.exec(description)?.[1] ?? '…');

/** Returns `TOKEN_ID` for `tokenId`. */
const constantOf = ({ name }: Parameter): string => name.replaceAll(/[A-Z]/g, '_$&').toUpperCase();

function curl(sample: Sample): string {
  const { operation, values, origin } = sample;
  const { method, body } = operation;
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const headers = Object.entries(given(operation, values, 'header')).map(([name, value]) => `${name}: ${value}`);
  const variables = missing(sample);
  const address = origin + addressOf(operation, values, (each) => `$${constantOf(each)}`);
  const command = [
    // Within double quotes a shell expands `!`, too.
    `curl ${method === 'GET' ? '' : `-X ${method} `}` +
      (variables.length > 0 ? `"${address.replaceAll('!', '%21')}"` : quote(address)),
    ...(usesToken(sample) ? ['-H "Authorization: Bearer $WAYMARK_TOKEN"'] : []),
    ...(needsKey(sample) ? [`-H "${KEY_HEADER}: $(openssl rand -hex 16)"`] : []),
    ...headers.map((header) => `-H ${quote(header)}`),
    ...(body ? [`-H ${quote(`Content-Type: ${body.type}`)}`, `-d ${quote(values.body)}`] : []),
  ].join(' \\\n  ');
  return program(
    variables.map((each) => `${constantOf(each)}=${placeholderOf(each)}`),
    [command],
  );
}

/** Joins the parts of a program with an empty line between them. */
const program = (...parts: string[][]): string =>
  parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');

function typescript(sample: Sample): string {
  const { operation, values, origin, client } = sample;
  const variables = missing(sample);
  const params = (['path', 'query', 'header'] as const)
    .map((place) => {
      const names = variables.filter((each) => each.in === place).map(({ name }) => [name, new Name(name)] as const);
      return [place, { ...typed(operation, given(operation, values, place)), ...Object.fromEntries(names) }] as const;
    })
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
  return program(
    [`// ${installCommand(origin)}`, `import { ${client} } from '@waymark/client';`],
    variables.map((each) => `const ${each.name} = ${literal(placeholderOf(each), TYPESCRIPT)};`),
    [
      `const waymark = ${client}({ ${options.join(', ')} });`,
      `const { data } = await waymark.${operation.method}(${literal(operation.path, TYPESCRIPT)}${argument});`,
      'console.log(data);',
    ],
  );
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
  const variables = missing(sample);
  const queryNames = variables
    .filter((each) => each.in === 'query')
    .map((each) => [each.name, new Name(constantOf(each))]);
  const params = { ...query, ...(Object.fromEntries(queryNames) as Record<string, Name>) };
  const headers = Object.entries(given(operation, values, 'header')).map(
    ([name, value]) => `${literal(name, PYTHON)}: ${literal(value, PYTHON)}`,
  );
  const allHeaders = [
    ...(usesToken(sample) ? [`"Authorization": f"Bearer {os.environ['WAYMARK_TOKEN']}"`] : []),
    ...(needsKey(sample) ? [`"${KEY_HEADER}": str(uuid.uuid4())`] : []),
    ...headers,
  ];
  const path = addressOf(operation, values, (each) => `{${constantOf(each)}}`).split('?')[0]!;
  const lines = [
    literal(operation.method, PYTHON),
    (path.includes('{') ? 'f' : '') + literal(origin + path, PYTHON),
    ...(Object.keys(params).length > 0 ? [`params=${literal(params, PYTHON, 1)}`] : []),
    ...(allHeaders.length > 0 ? [`headers={${allHeaders.join(', ')}}`] : []),
    ...(operation.body ? [`json=${literal(parse(sample), PYTHON, 1)}`] : []),
    'timeout=30',
  ];
  const type = operation.answers.find(({ status }) => status.startsWith('2'))?.content?.type;
  const result = type === undefined ? 'status_code' : type.includes('json') ? 'json()' : 'content';
  return program(
    [...(usesToken(sample) ? ['import os'] : []), ...(needsKey(sample) ? ['import uuid'] : [])],
    ['import requests'],
    variables.map((each) => `${constantOf(each)} = ${literal(placeholderOf(each), PYTHON)}`),
    [
      'response = requests.request(',
      ...lines.map((line) => `    ${line},`),
      ')',
      'if not response.ok:',
      '    raise SystemExit(response.text)',
      `print(response.${result})`,
    ],
  );
}

/** The body as it was typed, or the example while that is no JSON. */
function parse({ operation, values }: Sample): unknown {
  try {
    return JSON.parse(values.body);
  } catch {
    return JSON.parse(textOf(operation.body?.example ?? {}));
  }
}
