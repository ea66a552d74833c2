import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Names of secrets: the time that `===` takes reveals how much of a guess is right. */
const SECRET = '/(secret|signature|csrf|password)$/i';
const isSecret = ['left', 'right'].flatMap((side) => [`[${side}.name=${SECRET}]`, `[${side}.property.name=${SECRET}]`]);
const isAbsence = ["[right.type='Literal']", "[right.type='Identifier'][right.name='undefined']"];
const guessable = {
  selector: `BinaryExpression[operator=/^[!=]==?$/]:matches(${isSecret.join(', ')}):not(${isAbsence.join(', ')})`,
  message: 'Compare it in constant time (timingSafeEqual).',
};

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', '.local/', 'coverage/', '**/generated/', 'gateway/console/src/docs/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      // One program for all packages: a program for each would check the types of the libraries again and again.
      parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-console': 'error',
      'no-process-env': 'off',
    },
  },
  {
    // The console is built for browsers, by a configuration of its own.
    files: ['gateway/console/src/**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './gateway/console/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      'max-params': ['error', 3],
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML'].map((property) => ({ property, message: 'Texts are rendered as text.' })),
      ],
    },
  },
  {
    files: ['gateway/src/**/*.ts', 'shared/{contract,kernel}/src/**/*.ts', 'services/*/src/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', guessable],
      // What travels together is one object; constructors have no effects.
      'max-params': ['error', 3],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-new': 'error',
    },
  },
  {
    files: ['**/test/**/*.ts', 'deploy/verify/e2e/src/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', { name: 'it', message: 'Use test.' }],
      // Answers of the API are read as they come; the assertions say what they must be.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['deploy/**/*.ts', '**/*.{mjs,cjs}', '*.js'],
    rules: { 'no-console': 'off' },
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        module: 'writable',
        URL: 'readonly',
        setTimeout: 'readonly',
        Buffer: 'readonly',
      },
    },
  },
);
