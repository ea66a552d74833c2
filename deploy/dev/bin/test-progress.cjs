const { relative } = require('node:path');

const INTERVAL_MS = 20_000;

/**
 * Reports a run of jest while it lasts: each failed test when it fails, and every 20 s how far the run is. The longest
 * files run first, so that jest itself says nothing for minutes.
 */
module.exports = class TestProgress {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
    this.running = new Set();
    this.counts = { files: 0, passed: 0, failed: 0 };
  }

  onRunStart({ numTotalTestSuites: total }) {
    this.total = total;
    this.startedAt = Date.now();
    this.timer = setInterval(() => this.report(), INTERVAL_MS);
    this.timer.unref();
  }

  onTestFileStart({ path }) {
    this.running.add(path);
  }

  onTestCaseResult({ path }, { status, fullName }) {
    if (status === 'passed') this.counts.passed += 1;
    if (status !== 'failed') return;
    this.counts.failed += 1;
    write(`failed: ${this.nameOf(path)} › ${fullName}`);
  }

  onTestFileResult({ path }) {
    this.running.delete(path);
    this.counts.files += 1;
  }

  onRunComplete() {
    clearInterval(this.timer);
  }

  report() {
    const { files, passed, failed } = this.counts;
    const minutes = ((Date.now() - this.startedAt) / 60_000).toFixed(1);
    const running = [...this.running].map((path) => this.nameOf(path)).join(', ');
    write(
      `… ${minutes} min: ${files} of ${this.total} files done, ${passed} tests passed, ${failed} failed; running: ${running}`,
    );
  }

  nameOf(path) {
    return relative(this.rootDir, path);
  }
};

const write = (line) => process.stderr.write(`${line}\n`);
