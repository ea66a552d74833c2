import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const COMMENT = /(^|\s)#.*$/gm;
/** Tables list every setting, whether or not there is a use for it. */
const TABLE_ROW = /^\|.*$/gm;
const SETTING = /\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)*\b/g;

const manifests = [
  'docker-compose.yml',
  'deploy/k8s/make-secrets.mjs',
  ...['base', 'components', 'overlays'].flatMap((folder) => filesIn(`deploy/k8s/${folder}`, /\.(yaml|env)$/)),
];
const guides = [
  ...filesIn('docs', /^(?!decisions\/).*\.md$/),
  ...['gateway', ...filesIn('services', /^[^/]+$/, { recursive: false })].map((folder) => `${folder}/README.md`),
];

/** The settings that Compose or the manifests set, or that a guide for operators says how to use. */
export const USED_SETTINGS = new Set([...namesIn(manifests, COMMENT), ...namesIn(guides, TABLE_ROW)]);

function filesIn(folder, pattern, { recursive = true } = {}) {
  const path = join(ROOT, folder);
  const files = existsSync(path) ? readdirSync(path, { recursive }) : [];
  return files.filter((file) => pattern.test(file)).map((file) => join(folder, file));
}

function namesIn(files, ignored) {
  const texts = files
    .filter((file) => existsSync(join(ROOT, file)))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const names = texts.flatMap((text) => text.replaceAll(ignored, '').match(SETTING) ?? []);
  return names.map((name) => name.replace(/_FILE$/, ''));
}
