import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

// Bundles the console and the API reference, and compresses both: the gateway serves `gateway/dist/public` as it is.
const folder = dirname(fileURLToPath(import.meta.url));
const output = join(folder, '../dist/public');
const MAIN = 'src/main.tsx';
const CLIENT = 'waymark-client.tgz';
const TARGETS = ['chrome123', 'firefox120', 'safari17.5'];
const BUNDLE = {
  absWorkingDir: folder,
  bundle: true,
  minify: true,
  target: TARGETS,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/**
 * Makes every page and component that is loaded later import the main module. All that the main module reaches is then in one file:
 * a file for each set of pages that share something would delay the first list by a round trip each.
 */
const sharedMain = {
  name: 'shared-main',
  setup(esbuild) {
    esbuild.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      const file = join(resolveDir, path.replace(/\.js$/, '.tsx'));
      return kind === 'dynamic-import' && existsSync(file) ? { path: file, pluginData: 'page' } : undefined;
    });
    esbuild.onLoad({ filter: /\.tsx$/ }, ({ path, pluginData }) => {
      if (pluginData !== 'page') return undefined;
      const contents = `import ${JSON.stringify(join(folder, MAIN))};\n${readFileSync(path, 'utf8')}`;
      return { contents, loader: 'tsx', resolveDir: dirname(path) };
    });
  },
};

await buildConsole(join(output, 'console'));
await buildDocs(join(output, 'docs'));

async function buildConsole(target) {
  const options = {
    ...BUNDLE,
    outdir: join(target, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/console/assets',
    loader: { '.svg': 'file' },
  };
  const builds = await Promise.all([
    build({ ...options, entryPoints: { app: MAIN }, format: 'esm', splitting: true, plugins: [sharedMain] }),
    // The theme is applied before the first paint: by a script, since modules wait for the page.
    build({ ...options, entryPoints: { theme: 'src/theme.ts', style: 'src/styles/app.css' }, format: 'iife' }),
  ]);
  const names = builds.flatMap(({ metafile }) => Object.entries(metafile.outputs));
  const fileOf = (source) => basename(names.find(([, { inputs }]) => inputs[source]?.bytesInOutput > 0)[0]);
  const page = readFileSync(join(folder, 'src/index.html'), 'utf8')
    .replace('%APP%', fileOf(MAIN))
    .replace('%THEME%', fileOf('src/theme.ts'))
    .replace('%STYLE%', fileOf('src/styles/base.css'));
  writeIfChanged(join(target, 'index.html'), page);
  const assets = join(target, 'assets');
  copyFileSync(join(folder, 'src/favicon.svg'), join(assets, 'favicon.svg'));
  removeOthers(assets, new Set([...names.map(([path]) => basename(path)), 'favicon.svg']));
  for (const [path] of names) compress(join(assets, basename(path)));
}

async function buildDocs(target) {
  const entryPoints = { main: 'src/docs/main.tsx', docs: 'src/docs/docs.css', theme: 'src/theme.ts' };
  await build({ ...BUNDLE, outdir: target, entryPoints, format: 'iife' });
  copyFileSync(join(folder, 'src/docs/index.html'), join(target, 'index.html'));
  copyFileSync(join(folder, 'src/favicon.svg'), join(target, 'favicon.svg'));
  const files = ['main.js', 'docs.css', 'theme.js', 'favicon.svg'];
  packClient(join(target, CLIENT));
  removeOthers(target, new Set([...files, 'index.html', CLIENT]));
  for (const file of files) {
    rmSync(join(target, `${file}.br`), { force: true });
    compress(join(target, file));
  }
}

/** Packs the client, which people install from the address of this file: it fits the API of the same release. */
function packClient(file) {
  const client = join(folder, '../../shared/client');
  const sources = ['package.json', 'README.md', 'dist/.tsbuildinfo', 'dist/esm/.tsbuildinfo'];
  const changedAt = Math.max(...sources.map((name) => statSync(join(client, name)).mtimeMs));
  if (existsSync(file) && statSync(file).mtimeMs > changedAt) return;
  const args = ['pack', '--json', '--pack-destination', dirname(file)];
  const packed = execFileSync('npm', args, { cwd: client, encoding: 'utf8' });
  renameSync(join(dirname(file), JSON.parse(packed)[0].filename), file);
}

/** A file that exists compressed is kept: the name of a file of the console holds the hash of its content. */
function compress(file) {
  if (!/\.(js|css|svg)$/.test(file) || existsSync(`${file}.br`)) return;
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
}

function removeOthers(target, kept) {
  for (const name of readdirSync(target)) {
    if (!kept.has(name.replace(/\.(br|gz)$/, ''))) rmSync(join(target, name));
  }
}

function writeIfChanged(file, text) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
