import type { ApiTests } from './context.js';
import { resolve } from './reference.js';

/** The operations whose examples are sent, each after those that make what it names. */
const SENT = [
  ...['POST …/folders', 'POST …/tags', 'POST …/utm-templates', 'POST …/links', 'POST …/qr-codes', 'POST …/conversions'],
  ...['POST …/webhooks', 'POST …/domains', 'POST …/tokens', 'POST …/links/import', 'POST …/invitations'],
  ...['PATCH …/folders/{id}', 'PATCH …/tags/{id}', 'PATCH …/utm-templates/{id}', 'PATCH …/links/{id}'],
  ...['PATCH …/qr-codes/{id}', 'PATCH …/webhooks/{id}', 'PATCH …/domains/{id}', 'PATCH …'],
  ...['POST …/links/bulk', 'POST …/qr-codes/bulk', 'POST …/webhooks/{id}/test', 'POST …/domains/{id}/verify'],
  'POST …/explain',
  ...['GET …/folders/{id}', 'GET …/links/{id}', 'GET …/links/imports/{id}', 'GET …/qr-codes/{id}'],
];

/** Sends the examples of the document as a reader would, and compares the answers with the examples of answers. */
export function exampleTests({ caller, document }: ApiTests): void {
  test('answers the examples of the document with the fields of its examples', async () => {
    const prefix = '/api/v1/workspaces/{workspace}';
    const lists = Object.keys(document().paths)
      .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes('{'))
      .map((path) => `GET …${path.slice(prefix.length)}`);
    /** The ids of the examples, and what was made by them. */
    const made = new Map<string, string>();
    const inTheSystem = (text: string) => [...made].reduce((known, [id, real]) => known.replaceAll(id, real), text);
    const problems: string[] = [];
    for (const key of [...SENT, ...lists]) {
      const [method, path] = key.split(' ') as [string, string];
      const operation = document().paths[path.replace('…', prefix)]?.[method.toLowerCase()];
      if (!operation) continue;
      const examples = answersOf(document(), operation);
      if (examples.size === 0) continue;
      const [id] = [...examples.values()].map(idOf);
      const body = operation.requestBody?.content['application/json'].example;
      const item = document().paths[path.replace('…', prefix).replace(/(?<={id}).*/, '')]?.get;
      const itemId = item && [...answersOf(document(), item).values()].map(idOf)[0];
      const address = path.replace('{id}', itemId) + requiredQuery(document(), operation);
      const answer = await caller().call(method, inTheSystem(address), {
        body: body === undefined ? undefined : JSON.parse(inTheSystem(JSON.stringify(body))),
      });
      const example = examples.get(String(answer.status));
      const differences = example
        ? differencesOf(JSON.parse(inTheSystem(JSON.stringify(example))), answer.body)
        : [JSON.stringify(answer.body)];
      problems.push(...differences.map((each) => `${key} → ${answer.status}: ${each}`));
      if (id !== undefined && idOf(answer.body) !== undefined) made.set(id, idOf(answer.body)!);
    }
    expect(problems).toEqual([]);
  });
}

type Examples = Map<string, any>;

/** Returns the examples of the operation's successes, by status. */
function answersOf(document: any, { responses }: any): Examples {
  const successes = Object.entries<any>(responses).filter(([status]) => status.startsWith('2'));
  const bodies = successes.map(([status, response]): [string, any] => {
    const { content } = resolve(document, response);
    return [status, content?.['application/json']?.example];
  });
  return new Map(bodies.filter(([, example]) => example !== undefined));
}

/** Returns the required parameters of the query, by their examples. */
function requiredQuery(document: any, { parameters }: any): string {
  const required = parameters
    .map((each: any) => resolve(document, each))
    .filter((each: any) => each.in === 'query' && each.required);
  const values = required.map(({ name, schema }: any) => [name, schema.example ?? schema.enum[0]]);
  return required.length === 0 ? '' : `?${new URLSearchParams(values).toString()}`;
}

const idOf = (body: any): string | undefined => body?.data?.id;

/** What a workspace uses differs by deployment, and changes name the fields of what was changed. */
const OF_THEIR_OWN = /\.(usage|changes)$/;

/** Returns the fields that only one of both has, or that have another type; `null` and empty lists say nothing. */
function differencesOf(example: any, answer: any, at = ''): string[] {
  if (example === null || answer === null) return [];
  if (typeof example !== typeof answer || Array.isArray(example) !== Array.isArray(answer)) return [`${at} differs`];
  if (Array.isArray(example))
    return example.length > 0 && answer.length > 0 ? differencesOf(example[0], answer[0], `${at}[]`) : [];
  if (typeof example !== 'object' || OF_THEIR_OWN.test(at)) return [];
  const missing = Object.keys(example).filter((name) => !(name in answer));
  const added = Object.keys(answer).filter((name) => !(name in example));
  const shared = Object.keys(example).filter((name) => name in answer);
  return [
    ...missing.map((name) => `${at}.${name} is only in the example`),
    ...added.map((name) => `${at}.${name} is not in the example`),
    ...shared.flatMap((name) => differencesOf(example[name], answer[name], `${at}.${name}`)),
  ];
}
