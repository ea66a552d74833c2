import { spawnSync } from 'node:child_process';
import { Schema } from 'mongoose';
import { AppError, unavailable } from '@waymark/kernel/errors';
import { Database } from '@waymark/kernel/mongo/database';
import { describeError } from '@waymark/kernel/process/describe-error';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';

const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
afterAll(() => lifecycle.stop());

test('the log of a failed bulk write names its code, and has none of its documents', async () => {
  const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
  const schema = new Schema({ _id: String, deep: { plaintext_token: String }, text: String });
  const notes = db.model('Note', schema, 'notes');
  await db.start();
  const rows = Array.from({ length: 1000 }, (_, index) => ({
    _id: `note ${index}`,
    deep: { plaintext_token: 's3cr3t' },
    text: 'x'.repeat(1000),
  }));
  await notes.insertMany(rows, { lean: true });
  const error: unknown = await notes
    .insertMany(rows, { lean: true, ordered: false })
    .catch((failure: unknown) => failure);
  const line = JSON.stringify(describeError(error));
  expect(JSON.parse(line)).toMatchObject({ type: 'MongoBulkWriteError', code: 11000 });
  expect(line).not.toContain('s3cr3t');
  expect(line.length).toBeLessThan(12_000);
});

test('the log of an error has the beginning of its message and stack, its code, and one cause', () => {
  const root = new Error('root');
  const cause = Object.assign(new Error('c'.repeat(5000), { cause: root }), {
    code: 91,
    codeName: 'ShutdownInProgress',
    errorLabels: ['RetryableWriteError'],
    document: { secret: 'x' },
  });
  const described = describeError(unavailable(cause));
  expect(described).toEqual({
    type: 'AppError',
    message: 'The service is temporarily unavailable. Try again later.',
    stack: expect.stringContaining('log-errors.test.ts') as string,
    code: 'service_unavailable',
    cause: {
      type: 'Error',
      message: 'c'.repeat(2000),
      stack: expect.stringMatching(/^Error: c+/) as string,
      code: 91,
      codeName: 'ShutdownInProgress',
      errorLabels: ['RetryableWriteError'],
    },
  });
  expect(
    describeError(new AppError('not_found', 'm', { cause: Object.assign(new Error('x'), { stack: 's'.repeat(9000) }) }))
      .cause!.stack,
  ).toHaveLength(8000);
});

test.each([
  ['text', { type: 'string', message: 'text' }],
  [undefined, { type: 'undefined', message: 'undefined' }],
  [{ any: 'thing' }, { type: 'Object', message: '' }],
])('the log of a thrown %p has its type', (thrown, described) => {
  expect(describeError(thrown)).toEqual(described);
});

test('a log line describes its error without further properties', () => {
  const path = JSON.stringify(require.resolve('../dist/process/log.js'));
  const script = `require(${path}).createLog('test', 'info').warn({ err: Object.assign(new Error('m'), { rows: ['r'], code: 5 }) }, 'failed')`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  const { err } = JSON.parse(stdout) as { err: object };
  expect(err).toEqual({ type: 'Error', message: 'm', stack: expect.any(String) as string, code: 5 });
});
