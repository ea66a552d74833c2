import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

// node .ci/results.mjs totals|failures FILE: reads the results that jest wrote as JSON.
const [what, file] = process.argv.slice(2);
const NAME_MAX = 60;
const MESSAGE_MAX = 90;

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    const missing = { name: file, status: 'failed', message: 'jest left no results', assertionResults: [] };
    return { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 1, testResults: [missing] };
  }
}

/** One line for each failed test, and for each file that could not run. */
function failuresOf({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  const failures = failed.map(({ fullName, failureMessages: [message = ''] }) => {
    const line = /\.test\.ts:(\d+)/.exec(message)?.[1] ?? '?';
    return `line ${line}: ${onOneLine(fullName, NAME_MAX)}: ${shorten(message)}`;
  });
  if (status === 'failed' && failures.length === 0) failures.push(shorten(message));
  return failures.map((text) => `FAILED: ${relative(process.cwd(), name)}: ${text}`);
}

/** Keeps the values of a failed comparison: the line number shows which comparison failed. */
const shorten = (message) => onOneLine(message.replace(/^Error: expect\(.*(\s*\n)+/, ''), MESSAGE_MAX);
const onOneLine = (text, max) => stripVTControlCharacters(text).replace(/\s+/g, ' ').slice(0, max);

const results = read();
if (what === 'totals') {
  console.log(results.numPassedTests, results.numFailedTests + results.numRuntimeErrorTestSuites);
} else {
  for (const line of results.testResults.flatMap(failuresOf)) console.log(line);
}
