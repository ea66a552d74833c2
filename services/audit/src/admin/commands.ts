import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { workspaceSlug } from '@waymark/contract/common';
import type { Command } from '@waymark/kernel/command-line/command';
import { writeProgress } from '@waymark/kernel/command-line/terminal';
import { withDatabase } from '@waymark/kernel/command-line/with-database';
import { AppError, invalid } from '@waymark/kernel/errors';
import { loadConfig } from '@waymark/kernel/process/config';
import { auditConfig } from '../config.js';
import { AnchorKeys } from '../chain/anchor-keys.js';
import { HeadStore } from '../chain/head-store.js';
import { EntryStore } from '../entries/entry-store.js';
import { compareLoggedHeads } from '../verifying/compare-heads.js';
import type { VerifyContext } from '../verifying/find-orphan.js';
import { verifyChain } from '../verifying/verify-chain.js';

const PROGRESS_INTERVAL_MS = 5000;

const adminConfig = auditConfig.pick({ MONGODB_URI: true, AUDIT_SIGNING_KEY: true, AUDIT_EARLIER_KEYS: true });

const command = <S extends z.ZodObject>(definition: Command<NodeJS.ProcessEnv, S>): Command<NodeJS.ProcessEnv> =>
  definition;

/** Both set the exit code to 1 when they find a difference. */
export const COMMANDS = {
  'audit verify': command({
    summary: 'Verifies the chain of the audit log of a workspace',
    options: z.object({ workspace: workspaceSlug.describe('slug of the workspace') }),
    run: async (env, { workspace }) => {
      const { uri, keys } = connectionOf(env);
      const verdict = await withDatabase(
        uri,
        (db) => ({ db, keys, entries: new EntryStore(db), heads: new HeadStore(db, keys) }),
        (ctx) => verify(ctx, workspace),
      );
      if (verdict.valid && verdict.checked === 0) throw invalid({ workspace: ['The workspace has no audit log.'] });
      if (!verdict.valid) process.exitCode = 1;
      return { workspace, ...verdict };
    },
  }),
  'audit compare': command({
    summary: 'Compares the audit logs with the heads in a log file of the audit service',
    options: z.object({ file: z.string().describe('log file of the audit service; - for the standard input') }),
    run: async (env, { file }) => {
      const { uri, keys } = connectionOf(env);
      const lines = readLines(file);
      const result = await withDatabase(
        uri,
        (db) => new EntryStore(db),
        (entries) => compareLoggedHeads(entries, keys, lines),
      );
      if (result.differing > 0 || result.unsigned > 0) process.exitCode = 1;
      return result;
    },
  }),
};

function connectionOf(env: NodeJS.ProcessEnv): { uri: string; keys: AnchorKeys } {
  const config = loadConfig(adminConfig, env);
  return { uri: config.MONGODB_URI, keys: new AnchorKeys(config.AUDIT_SIGNING_KEY, config.AUDIT_EARLIER_KEYS) };
}

async function verify(ctx: VerifyContext, workspace: string): Promise<AuditVerdict> {
  const verification = verifyChain(ctx, workspace);
  let toldAt = Date.now();
  for (;;) {
    const step = await verification.next();
    if (step.done) return step.value;
    if (Date.now() - toldAt < PROGRESS_INTERVAL_MS) continue;
    toldAt = Date.now();
    writeProgress(`${step.value} entries verified`);
  }
}

async function* readLines(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: file === '-' ? process.stdin : createReadStream(file) });
  } catch (error) {
    throw new AppError('validation_failed', `--file: ${(error as Error).message}`);
  }
}
