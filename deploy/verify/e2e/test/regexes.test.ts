import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isSafe } from 'redos-detector';
import ts from 'typescript';

const ROOT = join(__dirname, '../../../..');
const SERVICES = readdirSync(join(ROOT, 'services')).map((name) => join('services', name));
const SOURCES = ['gateway', 'shared/contract', 'shared/kernel', ...SERVICES];

/** These read short or trusted input: the square of its length is small. */
const BOUNDED: Readonly<Record<string, string>> = {
  '/^\\[|(?:^|\\.)\\d+$/': 'the host of a parsed URL',
  '/(?:\\/|%2f|%5c)(?:\\.|%2e){1,2}(?:$|\\/|%2f|%5c)/i': 'a path of at most 1 KiB',
  '/^\\/(q\\/)?([a-z0-9_-]{1,64})(\\/.+)$/is': 'the target of a request, at most 16 KiB, read once',
  '/(?:^|\\s)#.*$/': "an operator's file",
  '/\\/+$/': "an operator's setting",
  '/:\\d*$/': "an operator's setting",
  '/\\{(\\w+)\\}/g': 'a path of the route table',
  '/\\{\\w+\\}/g': 'a path of the route table',
  '/\\/\\{\\w+\\}$/': 'a path of the route table',
  '/[\\w-]+\\/\\{(\\w+)\\}/g': 'a path of the route table',
  '/[^.:]*$/': "a visitor's network address",
  '/ \\(.*\\)$/': 'a name of the location data',
  '/"at":"([^"]+)"/': 'a record of the spool, at most a few kB',
  '/(W\\/)?"([\\x21\\x23-\\x7e\\x80-\\xff]*)"/g': 'linear: each try ends at the next quote, which no other try passes',
  '/\\S*$/': 'the beginning of an answer of a receiver, cut to 8 KiB',
  '/charset\\s*=\\s*["\']?([^\\s"\';]*)/gi': 'linear: only spaces are tried again, once',
  '/^([a-z]+:\\/\\/[^/?#]*)([^?#]*)(\\??[^#]*)(#?)(.*)$/s':
    'linear: whatever follows the host matches, nothing is tried again',
  '/bots?\\b|spider|crawl|preview|headless|lighthouse|\\bPTST\\/|synthetic|observatory|optimizer|monitor|dareboost|hotjar|devtools|selenium|playwright|puppeteer|\\bgoogle-|-google\\b/i':
    'linear: each word has at most one letter that may be left out',
  '/(?:bot|spider|crawler|-google)\\w*\\/\\d|\\bcatchpoint\\b/i': 'a user agent, cut to 512 characters',
  '/((?:pass|pwd|secret|token|auth|bearer|basic|signature|cookie|session|key|credential|private)[\\w-]*)(?![\\w-])[^]+/iu':
    'an answer of a receiver, cut to 1 KiB',
  '/\\d{1,3}(?:\\.\\d{1,3}){3}|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}/gi': 'linear: a match has at most 40 characters',
};

/** Yields every regular expression of the running processes, with its file. */
function* expressions(): Generator<{ file: string; text: string }> {
  for (const source of SOURCES) {
    for (const name of readdirSync(join(ROOT, source, 'src'), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const path = join(ROOT, source, 'src', name);
      const tree = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
      for (const text of literalsIn(tree, tree)) yield { file: relative(ROOT, path), text };
    }
  }
}

function* literalsIn(node: ts.Node, tree: ts.SourceFile): Generator<string> {
  if (ts.isRegularExpressionLiteral(node)) yield node.text;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* literalsIn(child, tree);
}

function isLinear(text: string): boolean {
  const end = text.lastIndexOf('/');
  // The detector takes `i` without `u` only; letters alone differ.
  const flags = text.slice(end + 1).replace(/(?<=i.*)u/, '');
  return isSafe(new RegExp(text.slice(1, end), flags), { timeout: 10_000 }).safe;
}

test('no regular expression takes long for any input', () => {
  const all = [...expressions()];
  expect(all.length).toBeGreaterThan(50);
  const asked = all.filter(({ text }) => !(text in BOUNDED));
  expect(asked.filter(({ text }) => !isLinear(text))).toEqual([]);
});

test('an expression that can is found', () => {
  expect(['/^(a+)+$/', '/^\\[(.+)\\](?::\\d+)?$/'].map(isLinear)).toEqual([false, false]);
});
