import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

// Bundles the console, copies Swagger UI, and compresses both: the gateway serves `gateway/dist/public` as it is.
const folder = dirname(fileURLToPath(import.meta.url));
const output = join(folder, '../dist/public');
const MAIN = 'src/main.tsx';
const TARGETS = ['chrome123', 'firefox120', 'safari17.5'];

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
buildDocs(join(output, 'docs'));

async function buildConsole(target) {
  const options = {
    absWorkingDir: folder,
    outdir: join(target, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/console/assets',
    bundle: true,
    minify: true,
    target: TARGETS,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'file' },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
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

/** The page of the API reference; `validatorUrl: null` keeps Swagger UI from sending the document to a validator. */
function buildDocs(target) {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  mkdirSync(target, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const marker = join(target, '.version');
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== version) {
    for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
      copyFileSync(join(source, file), join(target, file));
      rmSync(join(target, `${file}.br`), { force: true });
      compress(join(target, file));
    }
    writeFileSync(marker, version);
  }
  copyFileSync(join(folder, 'src/docs/index.html'), join(target, 'index.html'));
  copyFileSync(join(folder, 'src/docs/start.js'), join(target, 'start.js'));
}

/** A file that exists compressed is kept: its name holds the hash of its content. */
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
