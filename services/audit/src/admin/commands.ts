import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { workspaceSlug } from '@waymark/contract/common';
import type { Command } from '@waymark/kernel/command-line/command';
import { writeProgress } from '@waymark/kernel/command-line/terminal';
import { withRequester } from '@waymark/kernel/command-line/with-requester';
import { withDatabase } from '@waymark/kernel/command-line/with-database';
import { AppError, invalidOption } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import { storeEvents } from '@waymark/kernel/broker/store-events';
import { loadConfig } from '@waymark/kernel/process/config';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { auditConfig } from '../config.js';
import { AnchorKeys } from '../chain/anchor-keys.js';
import { HeadStore } from '../chain/head-store.js';
import { DayCountStore } from '../entries/day-count-store.js';
import { EntryStore } from '../entries/entry-store.js';
import { entryReader } from '../reading/displayable-entry.js';
import { exportText, type ExportContext } from '../reading/export-entries.js';
import { compareLoggedHeads } from '../verifying/compare-heads.js';
import { askForKeptHead } from '../verifying/ask-auth.js';
import type { VerifyContext } from '../verifying/find-orphan.js';
import type { KeptHead } from '../verifying/kept-head.js';
import { verifyChain } from '../verifying/verify-chain.js';

const PROGRESS_INTERVAL_MS = 5000;

const adminConfig = auditConfig.pick({ MONGODB_URI: true, AUDIT_SIGNING_KEY: true, AUDIT_EARLIER_KEYS: true });

const workspace = workspaceSlug.describe('slug of the workspace');
const noLog = () => invalidOption('workspace', 'The workspace has no audit log.');

const command = <S extends z.ZodObject>(definition: Command<NodeJS.ProcessEnv, S>): Command<NodeJS.ProcessEnv> =>
  definition;

/** The checks set the exit code to 1 when they find a difference. */
export const COMMANDS = {
  'audit export': command({
    summary: 'Writes the audit log of a workspace to the standard output as CSV, on any plan',
    options: z.object({ workspace }),
    run: async (env, options) => {
      const { uri } = connectionOf(env);
      await withDatabase(uri, openExport, (ctx) => writeLog(ctx, options.workspace));
    },
  }),
  'audit verify': command({
    summary: 'Verifies the chain of the audit log of a workspace, and that it reaches the end that auth has kept',
    options: z.object({ workspace }),
    run: async (env, options) => {
      const { uri, keys } = connectionOf(env);
      const kept = await findKeptHead(env, options.workspace);
      const verdict = await withDatabase(
        uri,
        (db) => ({ db, keys, entries: new EntryStore(db), heads: new HeadStore(db, keys) }),
        (ctx) => verify(ctx, options.workspace, kept),
      );
      if (verdict.valid && verdict.checked === 0) throw noLog();
      if (!verdict.valid) process.exitCode = 1;
      return { workspace: options.workspace, ...verdict, compared_with_auth: kept !== undefined };
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

function openExport(db: Database, lifecycle: Lifecycle): ExportContext {
  storeEvents(db, lifecycle);
  const read = entryReader(createLog('admin', 'silent'));
  return { db, entries: new EntryStore(db), dayCounts: new DayCountStore(db), read };
}

/** Ends with an error, and exit code 1, if it cannot write the whole log. */
async function writeLog(ctx: ExportContext, slug: string): Promise<void> {
  if ((await ctx.entries.lastSeq(slug)) === 0) throw noLog();
  const text = exportText(ctx, { workspace: slug }, { workspace: slug, filters: {} });
  await pipeline(Readable.from(text), process.stdout, { end: false });
}

/** @returns `undefined` without a broker, e.g. for a copy of the database on another machine */
function findKeptHead(env: NodeJS.ProcessEnv, slug: string): Promise<KeptHead | undefined> {
  if (!env['AMQP_URL']) return Promise.resolve(undefined);
  return withRequester('audit', env, (requester) => askForKeptHead(requester, slug));
}

async function verify(ctx: VerifyContext, workspace: string, kept: KeptHead | undefined): Promise<AuditVerdict> {
  const verification = verifyChain(ctx, workspace, kept);
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
