import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from './debian-root.js';
import { ServerProcess } from './server-process.js';
import { noteServer, type StackFolder } from './stack-folder.js';

/** Built code, also when this file itself runs from its sources: a process of its own has no transpiler. */
const MAIN = join(__dirname, '../dist/clickhouse/main.js');
/** Each running statement holds one thread of Node's pool. */
const THREADS = 32;

export interface ClickHouseOptions {
  folder: StackFolder;
  port: number;
  packageFolder: string;
  progress: Progress;
}

export function prepareClickHouse({ folder, port, packageFolder, progress }: ClickHouseOptions): ServerProcess {
  const logFile = join(folder.outside, 'clickhouse.log');
  return new ServerProcess({
    name: 'the local ClickHouse',
    command: process.execPath,
    args: [MAIN, String(port), join(folder.outside, 'clickhouse'), packageFolder],
    env: { PATH: process.env.PATH, UV_THREADPOOL_SIZE: String(THREADS), TZ: 'UTC' },
    logFile,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 10_000,
    startTimeoutMs: 60_000,
    holdsInput: true,
    isReady: () => Promise.resolve(/^ready$/m.test(readFileSync(logFile, 'utf8'))),
    onStarted: (pid) => noteServer(folder, 'clickhouse', pid),
    // A crash of the library ends the process of every query; acknowledged rows are on the disk.
    onCrashed: (how) => progress(`the local ClickHouse ended with ${how} and starts again`),
  });
}
