import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

// node .ci/results.mjs totals|failures FILE: reads the results that jest wrote as JSON.
const [what, file] = process.argv.slice(2);
const MESSAGE_MAX = 300;

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
  const failures = failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0] ?? ''}`);
  if (status === 'failed' && failures.length === 0) failures.push(message);
  return failures.map((text) => `FAILED: ${relative(process.cwd(), name)}: ${onOneLine(text)}`);
}

const onOneLine = (text) => stripVTControlCharacters(text).replace(/\s+/g, ' ').slice(0, MESSAGE_MAX);

const results = read();
if (what === 'totals') {
  console.log(results.numPassedTests, results.numFailedTests + results.numRuntimeErrorTestSuites);
} else {
  for (const line of results.testResults.flatMap(failuresOf)) console.log(line);
}
