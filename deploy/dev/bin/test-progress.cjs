const path = require('node:path');

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

  onTestFileStart({ path: file }) {
    this.running.add(file);
  }

  onTestCaseResult({ path: file }, { status, fullName }) {
    if (status === 'passed') this.counts.passed += 1;
    if (status !== 'failed') return;
    this.counts.failed += 1;
    write(`failed: ${this.nameOf(file)} › ${fullName}`);
  }

  onTestFileResult({ path: file }) {
    this.running.delete(file);
    this.counts.files += 1;
  }

  onRunComplete() {
    clearInterval(this.timer);
  }

  report() {
    const { files, passed, failed } = this.counts;
    const minutes = ((Date.now() - this.startedAt) / 60_000).toFixed(1);
    const running = [...this.running].map((file) => this.nameOf(file)).join(', ');
    write(
      `… ${minutes} min: ${files} of ${this.total} files done, ${passed} tests passed, ${failed} failed; running: ${running}`,
    );
  }

  nameOf(file) {
    return path.relative(this.rootDir, file);
  }
};

const write = (line) => process.stderr.write(`${line}\n`);
