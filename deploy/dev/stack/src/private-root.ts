import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDebianRoot, rootFolder as folderOf, type DebianRoot, type Progress } from './debian-root.js';

/** The servers of the local stack, which run inside it. */
const SERVERS: DebianRoot = {
  name: '1',
  variant: 'apt',
  packages: ['postgresql-18-documentdb', 'rabbitmq-server'],
  excluded: ['/usr/lib/postgresql/18/lib/bitcode/*'],
  // Erlang resolves its node's name, and nothing else of the network is needed.
  finish: (folder) => writeFileSync(join(folder, 'etc/hosts'), '127.0.0.1 localhost\n'),
};

export const rootFolder = (): string => folderOf(SERVERS);

export const ensurePrivateRoot = (progress: Progress): Promise<string> => ensureDebianRoot(SERVERS, progress);
