import { connect } from 'amqplib';
import { openStack } from '@waymark/stack/stack';
import type { Stack } from '@waymark/stack/stack-types';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ name: `cluster-${process.pid}`, fresh: true, brokerNodes: 3, env: {} });
});
afterAll(() => stack?.stop());

describe('the local broker cluster', () => {
  test('has three nodes with the limits of every queue', async () => {
    const status = JSON.parse(await stack.broker!.ctl('cluster_status', '--formatter', 'json'));
    expect(status.running_nodes).toHaveLength(3);
    const policies = JSON.parse(await stack.broker!.ctl('list_policies', '--formatter', 'json'));
    expect(policies.map(({ name }: { name: string }) => name)).toContain('waymark-scans');
  });

  test('keeps a quorum queue usable while one node is down', async () => {
    const [first, , third] = stack.amqpUrl.split(',');
    const connection = await connect(third!);
    const channel = await connection.createConfirmChannel();
    await channel.assertQueue('kept', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    await stack.brokers![0]!.stop();
    channel.sendToQueue('kept', Buffer.from('1'), { persistent: true });
    await channel.waitForConfirms();
    expect((await channel.checkQueue('kept')).messageCount).toBe(1);
    await stack.brokers![0]!.start();
    await (await connect(first!)).close();
    await connection.close();
  });
});
