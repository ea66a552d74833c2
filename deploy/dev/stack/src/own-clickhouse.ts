import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareClickHouse } from './clickhouse.js';
import type { Progress } from './debian-root.js';
import { ensureEnginePackage } from './engine-package.js';
import { freePorts } from './ports.js';
import type { ServerProcess } from './server-process.js';

export interface OwnClickHouse {
  server: ServerProcess;
  url: string;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

/** Starts a ClickHouse for a caller who stops, freezes or empties it. */
export async function startOwnClickHouse(progress: Progress = () => undefined): Promise<OwnClickHouse> {
  const packageFolder = await ensureEnginePackage(() => undefined);
  const [port] = (await freePorts(1)) as [number];
  const folder = mkdtempSync(join(tmpdir(), 'waymark-clickhouse-'));
  const server = prepareClickHouse({ folder: { inside: folder, outside: folder }, port, packageFolder, progress });
  await server.start();
  const remove = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { server, url: `http://127.0.0.1:${port}`, remove };
}
