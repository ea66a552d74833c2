const esmOnly = [];
const ours = (name) => `<rootDir>/${name}/src/$1.ts`;

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
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
    '^@waymark/shared/(.*)$': ours('shared'),
    '^@waymark/gateway/(.*)$': ours('gateway'),
    '^@waymark/(local|bench|faults|e2e)/(.*)$': '<rootDir>/deploy/$1/src/$2.ts',
    '^@waymark/([a-z]+)/(.*)$': '<rootDir>/services/$1/src/$2.ts',
  },
  testTimeout: 60_000,
  maxWorkers: 2,
};
