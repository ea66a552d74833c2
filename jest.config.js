/** Packages without CommonJS: Node.js can require them, jest must translate them. */
const esmOnly = [
  'commander',
  'http-proxy-middleware',
  'httpxy',
  'is-plain-obj',
  'jose',
  'leven',
  'oauth4webapi',
  'openid-client',
];

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/deploy/dev/bin/test-environment.cjs',
  testMatch: ['**/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['/dist/'],
  transform: {
    '^.+\\.[mc]?[jt]s$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: esmOnly.length ? [`/node_modules/(?!(${esmOnly.join('|')})/)`] : ['/node_modules/'],
  moduleNameMapper: {
    // Relative imports name the emitted file; under jest the source is loaded in its place.
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@waymark/(contract|kernel|visitors|testing)/(.*)$': '<rootDir>/shared/$1/src/$2.ts',
    '^@waymark/gateway/(.*)$': '<rootDir>/gateway/src/$1.ts',
    '^@waymark/(stack|mongo-gateway|launcher|start)/(.*)$': '<rootDir>/deploy/dev/$1/src/$2.ts',
    '^@waymark/(bench|faults|e2e)/(.*)$': '<rootDir>/deploy/verify/$1/src/$2.ts',
    '^@waymark/([a-z]+)/(.*)$': '<rootDir>/services/$1/src/$2.ts',
  },
  // No test is to be fast: each wait ends with what it waits for, and fails with its name before this.
  testTimeout: 900_000,
  reporters: ['default', '<rootDir>/deploy/dev/bin/test-progress.cjs'],
  testSequencer: '<rootDir>/deploy/dev/bin/longest-first.cjs',
  // On two cores: some tests wait for leases and pauses, which leaves a core to a third.
  maxWorkers: 3,
};
