import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { ServerProcess } from './server-process';
import { noteServer, type StackFolder } from './stack-folder';

/** Built code, also when this file itself runs from its sources: a process of its own has no transpiler. */
const MAIN = join(__dirname, '../dist/mongo-wire/main.js');

export interface TranslatorOptions {
  folder: StackFolder;
  port: number;
  postgresPort: number;
  purgeSeconds: number;
}

export function prepareTranslator({ folder, port, postgresPort, purgeSeconds }: TranslatorOptions): ServerProcess {
  const logFile = join(folder.outside, 'mongo-wire.log');
  return new ServerProcess({
    name: 'the MongoDB translator',
    command: process.execPath,
    args: [MAIN, String(port), String(postgresPort), String(purgeSeconds)],
    env: { PATH: process.env.PATH, MONGO_WIRE_CONFLICT_WAIT_MS: process.env.MONGO_WIRE_CONFLICT_WAIT_MS },
    logFile,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
    startTimeoutMs: 60_000,
    holdsInput: true,
    isReady: () => Promise.resolve(/^ready$/m.test(readFileSync(logFile, 'utf8'))),
    onStarted: (pid) => noteServer(folder, 'mongo-wire', pid),
  });
}
