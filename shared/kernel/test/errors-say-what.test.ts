import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROBLEM_CODES } from '@waymark/contract/problem-codes';
import { moreProblems, required, taken, unknownName } from '@waymark/contract/problems';
import { invalid, missing } from '@waymark/kernel/errors';
import { noRoute } from '@waymark/kernel/http/no-route';

test('the message of invalid fields is the first problem and the number of the others', () => {
  const codeTaken = { short_code: [taken('short_code')] };
  expect(invalid(codeTaken).message).toBe('The short_code is already taken.');
  const two = { ...codeTaken, source: [required('source')] };
  expect(invalid(two).message).toBe('The short_code is already taken, and 1 more problem.');
  const many = { ...two, body: [moreProblems(7)] };
  expect(invalid(many).message).toBe('The short_code is already taken, and 8 more problems.');
  const unknown = unknownName('field', 'There is no field "nam". Did you mean "name"?', 'name');
  expect(invalid({ nam: [unknown], ...codeTaken }).message).toBe(
    'There is no field "nam". Did you mean "name"? And 1 more problem.',
  );
});

test('invalid fields have each problem in details and in problems', () => {
  const error = invalid({ constructor: [required('constructor'), taken('constructor')] });
  const messages = ['The constructor is required.', 'The constructor is already taken.'];
  expect({ ...error.details }).toEqual({ constructor: messages });
  expect(error.problems).toEqual([
    { field: 'constructor', code: 'required', message: messages[0] },
    { field: 'constructor', code: 'taken', message: messages[1] },
  ]);
});

test.each([
  ['lnk_x', 'There is no link lnk_x in this workspace.'],
  ['a\u202eb\0c d', 'There is no link a?b?c?d in this workspace.'],
  ['x'.repeat(70_000), `There is no link ${'x'.repeat(64)}… in this workspace.`],
])('a missing link is named in printable characters (%#)', (id, message) => {
  expect(missing('link', id).message).toBe(message);
});

const TEMPLATES = [
  '/api/v1/workspaces/:workspace/links',
  '/api/v1/workspaces/:workspace/links/:id',
  '/api/v1/workspaces/:workspace/links/:id/qr',
  '/api/workspaces/:workspace/links',
  '/api/v1/user',
];
test.each([
  ['/api/v1/workspaces/acme/link', '/api/v1/workspaces/{workspace}/link. Did you mean /links?'],
  ['/api/v1/workspaces/acme/links/', '/api/v1/workspaces/{workspace}/links/. Did you mean /links?'],
  ['/api/workspaces/acme/linsk', '/api/workspaces/{workspace}/linsk. Did you mean /links?'],
  [
    '/api/v1/workspaces/acme/links/lnk_1/q',
    '/api/v1/workspaces/{workspace}/links/lnk_1/q. Did you mean /links/{id}/qr?',
  ],
  [
    '/api/v2/workspaces/acme/links',
    '/api/v2/workspaces/{workspace}/links. Did you mean /api/v1/workspaces/{workspace}/links?',
  ],
  ['/api/v1/users', '/api/v1/users. Did you mean /api/v1/user?'],
  ['/api/v1/workspaces/acme/elsewhere', '/api/v1/workspaces/{workspace}/elsewhere.'],
  ['/', '/.'],
  [`/${'x'.repeat(5000)}`, `/${'x'.repeat(199)}….`],
])('a path without a route names the nearest one (%#)', (path, message) => {
  expect(noRoute({ method: 'GET', path }, TEMPLATES).message).toBe(`There is no route GET ${message}`);
});

const ROOT = join(__dirname, '../../..');
const sourcesIn = (folder: string): [path: string, text: string][] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readFileSync(join(ROOT, folder, path), 'utf8')]);

test('every code is made somewhere', () => {
  const makers = ['shared/contract/src/problems.ts', 'shared/kernel/src/http/schema-problems.ts'];
  const text = makers.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');
  const unused = Object.keys(PROBLEM_CODES).filter(
    // Of three kinds of names: `unknown_${kind}`.
    (code) => !text.includes(`'${code}'`) && !/^unknown_(field|parameter|column)$/.test(code),
  );
  expect(unused).toEqual([]);
});

test('every refinement of the contract has a problem with a code', () => {
  const uncoded = sourcesIn('shared/contract/src').flatMap(([path, text]) => [
    ...(path !== 'problems.ts' && /\baddIssue\(/.test(text) ? [`${path}: addIssue`] : []),
    ...[...text.matchAll(/\.refine\([^;]*?(?=\n\s*\.(?!\.)|;|$)/gs)]
      .filter(([call]) => !/asIssue\(|onField\(|, issue\)/.test(call))
      .map(([call]) => `${path}: ${call}`),
  ]);
  expect(uncoded).toEqual([]);
});
