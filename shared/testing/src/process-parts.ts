import type { z } from 'zod';
import { loadConfig } from '@waymark/kernel/process/config';
import { Lifecycle, type ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';

/** What `runProcess` would hand to a service, for running it inside a test; `lifecycle.stop()` ends it. */
export function testProcess<S extends z.ZodObject>(
  schema: S,
  env: Record<string, string>,
): ProcessContext<z.output<S>> {
  const config = loadConfig(schema, { HOST: '127.0.0.1', PORT: '0', OPS_PORT: '0', TLS_ASK_PORT: '0', ...env });
  const log = createLog('test', process.env['TEST_LOG_LEVEL'] ?? 'fatal');
  return { config, log, lifecycle: new Lifecycle(log) };
}
