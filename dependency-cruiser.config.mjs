/**
 * Folders of each service, or of one of its folders, from the lowest layer up: a folder imports only itself and lower layers. Folders in one layer
 * do not know each other.
 */
const LAYERS = {
  'shared/kernel': [['process', 'limits'], ['async'], ['mongo'], ['broker'], ['http', 'erasure', 'command-line']],
  gateway: [['openapi', 'pages'], ['authorize', 'proxy'], ['pipeline']],
  'gateway/console': [
    ['config'],
    ['messages'],
    ['format'],
    ['api'],
    ['app'],
    ['components', 'charts'],
    ['pages'],
    ['frame', 'docs'],
  ],
  'services/webhook': [['http'], ['endpoints'], ['deliveries'], ['dispatch', 'events']],
  'services/redirect': [
    ['destinations', 'pages', 'read-model', 'spool'],
    ['targets', 'hosts', 'workspaces', 'blocks'],
    ['redirect'],
    ['reports'],
    ['admin'],
  ],
  'services/resource': [
    ['destinations'],
    ['links'],
    ['organize', 'domains', 'imports', 'qr-images', 'blocking', 'explain'],
    ['admin', 'usage'],
  ],
  'services/auth': [
    ['secrets', 'mail', 'limits', 'activity'],
    ['users'],
    ['workspaces'],
    ['sign-in'],
    ['erasure'],
    ['authorize', 'admin'],
  ],
  'services/auth/src/workspaces': [['tokens'], ['members'], ['invitations']],
  'services/auth/src/sign-in': [['profile'], ['sessions'], ['two-factor', 'password-reset', 'single-sign-on']],
  'services/analytics': [
    ['time', 'enrichment'],
    ['warehouse'],
    ['ledger', 'links'],
    ['conversions', 'retention'],
    ['ingest', 'loading', 'reports'],
    ['admin'],
  ],
  'services/domain': [
    ['dns', 'domains'],
    ['checks', 'tls'],
  ],
  'services/audit': [['chain'], ['entries'], ['collecting', 'reading', 'redacting', 'verifying'], ['admin']],
};

const shipped = '^(gateway|services/[^/]+|shared/(contract|kernel|visitors))/src/';

/** Contract files that the kernel may know: the form of routes, events and identities, but no business. */
const GENERAL_CONTRACT = [
  'broker-services',
  'erasures',
  'deployments',
  'event',
  'identity',
  'problem-codes',
  'problems',
  'quota',
  'route',
  'queues',
  'operator-commands',
  'common',
  'console-paths',
  'request',
  'roles',
  'routes',
];

const rule = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

const layerRules = Object.entries(LAYERS).flatMap(([root, layers]) => {
  const source = root.includes('/src/') ? root : `${root}/src`;
  return layers.flatMap((folders, layer) =>
    folders.map((folder) => {
      const forbidden = layers
        .slice(layer)
        .flat()
        .filter((other) => other !== folder);
      return rule(
        `layers-of-${root.split('/').at(-1)}`,
        'A feature folder imports only folders in lower layers.',
        { path: `^${source}/${folder}/` },
        { path: `^${source}/((${forbidden.join('|') || 'nothing'})/|app\\.ts|main\\.ts)` },
      );
    }),
  );
});

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    rule('no-circular', 'Files do not import each other in a circle, types included.', {}, { circular: true }),
    rule('no-unresolvable', 'The import names nothing that exists.', {}, { couldNotResolve: true }),
    rule(
      'no-undeclared-package',
      'A package is declared by the package.json of who uses it.',
      { pathNot: '/test/' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    rule(
      'no-development-package',
      'What is shipped uses no package that only development has.',
      { path: shipped },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm'] },
    ),
    rule(
      'no-orphan',
      'Nobody uses this file.',
      {
        orphan: true,
        path: '/src/',
        pathNot:
          '\\.d\\.ts$|/(main|theme|start|cli-check|write-[a-z-]+|[a-z-]*(generator|server|sender|receiver|attacker|profiler|worker))\\.(tsx?|js)$',
      },
      {},
    ),
    rule(
      'services-apart',
      'Services share only what is in shared.',
      { path: '^services/([^/]+)/src/' },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    rule(
      'shipped-alone',
      'What is shipped imports nothing of deploy, and no test servers.',
      { path: shipped },
      { path: '^(deploy|shared/(testing|client))/' },
    ),
    rule(
      'contract-below-all',
      'The contract imports only zod and itself.',
      { path: '^shared/contract/src/' },
      { path: '^(shared/(kernel|testing|client)|gateway|services|deploy)/' },
    ),
    rule(
      'kernel-without-business',
      'The kernel knows the form of routes, events, identities and problems, not the business.',
      { path: '^shared/kernel/src/' },
      { path: '^shared/contract/src/', pathNot: `^shared/contract/src/(${GENERAL_CONTRACT.join('|')})\\.ts$` },
    ),
    rule(
      'shared-below-all',
      'What is shared imports no process.',
      { path: '^shared/[^/]+/src/' },
      { path: '^(gateway|services|deploy)/' },
    ),
    ...layerRules,
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/|/generated/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
