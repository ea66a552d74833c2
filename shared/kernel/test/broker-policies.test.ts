import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REQUESTERS, WORK_QUEUES } from '@waymark/contract/queues';
import { policies } from '@waymark/kernel/broker/policies';
import { Topology } from '@waymark/kernel/broker/topology';

const topology = new Topology('waymark');
const WORK = WORK_QUEUES.flatMap((name) => [topology.queue(name), topology.retry(name), topology.parked(name)]);
const QUESTIONS = Object.keys(REQUESTERS).map((name) => topology.question(name));

const policiesOf = (queue: string) => policies('/', 'waymark').filter(({ pattern }) => new RegExp(pattern).test(queue));

test.each(WORK)('%s is bounded in bytes, and refuses what is beyond instead of dropping it', (queue) => {
  const [policy, ...others] = policiesOf(queue);
  expect(others).toEqual([]);
  expect(policy!.definition).toEqual({ 'max-length-bytes': expect.any(Number), overflow: 'reject-publish' });
});

test.each(QUESTIONS)('%s is bounded in bytes, length and time', (queue) => {
  const [policy, ...others] = policiesOf(queue);
  expect(others).toEqual([]);
  expect(Object.keys(policy!.definition).sort()).toEqual(['max-length', 'max-length-bytes', 'message-ttl', 'overflow']);
});

test('all work queues together may hold what the guide for operators says', () => {
  const bytes = WORK.map((queue) => Number(policiesOf(queue)[0]!.definition['max-length-bytes']));
  const gibibytes = bytes.reduce((sum, each) => sum + each, 0) / 1024 ** 3;
  const guide = readFileSync(join(__dirname, '../../../docs/operations/operations.md'), 'utf8');
  expect(guide).toContain(`may hold, ${gibibytes} GiB with these limits`);
});

test('no policy applies to the queues of another installation', () => {
  const other = new Topology('waymark2');
  expect(WORK_QUEUES.flatMap((name) => policiesOf(other.queue(name)))).toEqual([]);
});
