import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configOf, Engine } from './engine.js';
import { createEngineServer } from './server.js';

/** `main.js PORT DATA_FOLDER PACKAGE_FOLDER`: a local ClickHouse on loopback until its standard input ends. */
const [port, dataFolder, packageFolder] = process.argv.slice(2) as [string, string, string];

mkdirSync(dataFolder, { recursive: true });
const configFile = join(dataFolder, '../clickhouse.xml');
writeFileSync(configFile, configOf(join(dataFolder, 'backups')));
const engine = new Engine(packageFolder, dataFolder, configFile);
const server = createEngineServer(engine);

function stop(): void {
  server.close(() => {
    engine.close();
    process.exit(0);
  });
  server.closeAllConnections();
}

process.on('SIGTERM', stop);
process.stdin.on('end', stop).resume();
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
