import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { ServerProcess } from './server-process.js';
import { noteServer, type StackFolder } from './stack-folder.js';

/** Built code, also when this file itself runs from its sources: a process of its own has no transpiler. */
const MAIN = join(__dirname, '../../mongo-gateway/dist/main.js');

export interface MongoGatewayOptions {
  folder: StackFolder;
  port: number;
  postgresPort: number;
  purgeSeconds: number;
}

export function prepareMongoGateway({ folder, port, postgresPort, purgeSeconds }: MongoGatewayOptions): ServerProcess {
  const logFile = join(folder.outside, 'mongo-gateway.log');
  return new ServerProcess({
    name: 'the MongoDB gateway',
    command: process.execPath,
    args: [MAIN, String(port), String(postgresPort), String(purgeSeconds)],
    env: { PATH: process.env.PATH, MONGO_GATEWAY_CONFLICT_WAIT_MS: process.env.MONGO_GATEWAY_CONFLICT_WAIT_MS },
    logFile,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
    startTimeoutMs: 60_000,
    holdsInput: true,
    isReady: () => Promise.resolve(/^ready$/m.test(readFileSync(logFile, 'utf8'))),
    onStarted: (pid) => noteServer(folder, 'mongo-gateway', pid),
  });
}
