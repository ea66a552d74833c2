import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Command } from '@waymark/kernel/command-line/command';
import { withDatabase } from '@waymark/kernel/command-line/with-database';
import { loadConfig } from '@waymark/kernel/process/config';
import { auditConfig } from '../config.js';
import { AnchorKeys } from '../chain/anchor-keys.js';
import { compareLoggedHeads } from '../verifying/compare-heads.js';
import { EntryStore } from '../entries/entry-store.js';

const adminConfig = auditConfig.pick({ MONGODB_URI: true, AUDIT_SIGNING_KEY: true, AUDIT_EARLIER_KEYS: true });
const options = z.object({ file: z.string().describe('log file of the audit service') });

/** Sets the exit code to 1 when a log differs or a logged head is unsigned. */
const compare: Command<NodeJS.ProcessEnv, typeof options> = {
  summary: 'Compares the audit logs with the heads in a log file of the audit service',
  options,
  run: async (env, { file }) => {
    const config = loadConfig(adminConfig, env);
    const keys = new AnchorKeys(config.AUDIT_SIGNING_KEY, config.AUDIT_EARLIER_KEYS);
    const lines = createInterface({ input: createReadStream(file) });
    const open = (db: ConstructorParameters<typeof EntryStore>[0]) => new EntryStore(db);
    const result = await withDatabase(config.MONGODB_URI, open, (entries) => compareLoggedHeads(entries, keys, lines));
    if (result.differing > 0 || result.unsigned > 0) process.exitCode = 1;
    return result;
  },
};

export const COMMANDS = { 'audit compare': compare };
