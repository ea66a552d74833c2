import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

type Texts = Record<string, unknown>;
const MESSAGES = join(__dirname, '../console/src/messages');

interface Catalogues {
  en: Texts;
  german: (isQr: boolean) => Texts;
  visitsEn: Texts;
  visitsDe: Texts;
}
const ENTRY = `
export { en } from './en.js';
export { german } from './de.js';
export { visitsEn } from './visits-en.js';
export { visitsDe } from './visits-de.js';`;

/** The catalogues as the page of this deployment has them. */
function loadCatalogues(deployment: string): Catalogues {
  const { outputFiles } = buildSync({
    stdin: { contents: ENTRY, resolveDir: MESSAGES },
    bundle: true,
    write: false,
    format: 'cjs',
  });
  const content = JSON.stringify({ deployment, routes: {}, event_types: [] });
  const module = { exports: {} };
  runInNewContext(outputFiles[0]!.text, { module, document: { querySelector: () => ({ content }) } });
  return module.exports as Catalogues;
}

/** The path and the kind of every text. */
const textsOf = (texts: Texts, path = ''): string[] =>
  Object.entries(texts).flatMap(([name, value]) =>
    typeof value === 'object' ? textsOf(value as Texts, `${path}${name}.`) : [`${path}${name}: ${typeof value}`],
  );

test.each(['links', 'qr'])('every text of the console is also in German, for %s', (deployment) => {
  const { en, german, visitsEn, visitsDe } = loadCatalogues(deployment);
  const wanted = textsOf(en).sort();
  expect(wanted.length).toBeGreaterThan(300);
  expect(textsOf(german(deployment === 'qr')).sort()).toEqual(wanted);
  expect(textsOf(visitsDe).sort()).toEqual(textsOf(visitsEn).sort());
});
