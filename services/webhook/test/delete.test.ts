import { waitFor } from '@waymark/testing/wait-for';
import { answering, Receiver } from './receiver.js';
import { linkEvent, Stack } from './stack.js';

let stack: Stack;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  receiver.stop();
});

const rowsOf = (endpointId: string) => stack.database.collection('attempts').countDocuments({ endpointId });

describe('deleting a webhook', () => {
  test('answers 204 without a body, and it is gone with its log and its retries', async () => {
    const { id } = await stack.subscribe(receiver.at('/gone', answering(500)), 'gone');
    const other = await stack.subscribe(receiver.at('/kept'), 'gone');
    await stack.publish(linkEvent('gone'));
    await waitFor('a retry', async () => (await stack.attempts(id, 'gone')).length >= 2);
    const answer = await stack.call('DELETE', `/webhooks/${id}`, undefined, 'gone');
    const sent = receiver.on('/gone').length;
    expect([answer.status, answer.text]).toEqual([204, '']);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/deliveries'],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
    ] as const) {
      expect((await stack.call(method, `/webhooks/${id}${path}`, undefined, 'gone')).status).toBe(404);
    }
    await waitFor('the rows to go', async () => (await rowsOf(id)) === 0);
    await stack.publish(linkEvent('gone'));
    await waitFor('the other', () => receiver.on('/kept').length === 2);
    expect(await stack.ended(other.id, 'gone', 2)).toHaveLength(2);
    // One attempt may have been in flight.
    expect(receiver.on('/gone').length).toBeLessThanOrEqual(sent + 1);
    expect(await rowsOf(id)).toBe(0);
  });

  test('is an audited event', async () => {
    const { id } = await stack.subscribe(receiver.at('/told'), 'told');
    await stack.call('DELETE', `/webhooks/${id}`, undefined, 'told');
    const event = await waitFor('the event', async () => (await stack.emitted('webhook.deleted', 'told'))[0]);
    expect(event).toMatchObject({
      actor: { id: 'usr_1' },
      data: { webhook_id: id },
      audit: { target: { type: 'webhook', id, label: receiver.at('/told') }, changes: {} },
    });
  });

  test('needs no more than the read ability, but the role', async () => {
    const { id } = await stack.subscribe(receiver.at('/reader'), 'reader');
    const path = `/webhooks/${id}`;
    const asAnalyst = { access: { role: 'analyst' as const } };
    expect((await stack.call('DELETE', path, undefined, 'reader', asAnalyst)).status).toBe(403);
    const asReader = { access: { role: 'admin' as const, abilities: ['read' as const] } };
    expect((await stack.call('DELETE', path, undefined, 'reader', asReader)).status).toBe(204);
  });

  test('of another workspace answers 404 and deletes nothing', async () => {
    const { id } = await stack.subscribe(receiver.at('/ours'), 'ours');
    expect((await stack.call('DELETE', `/webhooks/${id}`, undefined, 'theirs')).status).toBe(404);
    expect(await stack.endpoint(id, 'ours')).toMatchObject({ id });
  });

  test('makes room for one other endpoint, for any number of requests', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 20; i += 1) ids.push((await stack.subscribe(receiver.at('/full'), 'full')).id);
    await expect(stack.subscribe(receiver.at('/full'), 'full')).rejects.toThrow(/"limit":20,"current":20/);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => stack.call('DELETE', `/webhooks/${ids[0]}`, undefined, 'full')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
    await stack.subscribe(receiver.at('/full'), 'full');
    await expect(stack.subscribe(receiver.at('/full'), 'full')).rejects.toThrow(/"limit":20,"current":20/);
  });

  test('by a process that dies before the rows are gone leaves them to the next', async () => {
    const { id } = await stack.subscribe(receiver.at('/died'), 'died');
    await stack.publish(linkEvent('died'));
    await stack.ended(id, 'died');
    const [row] = await stack.database.collection('attempts').find({ endpointId: id }).toArray();
    await stack.stopServices();
    // The state after a process died right after the transaction: more than one batch is left.
    await stack.database.collection('endpoints').deleteOne({ _id: id as never });
    await stack.database.collection('purge_orders').insertOne({ _id: id as never, orderedAt: new Date() });
    const copies = Array.from({ length: 1200 }, (_, index) => ({ ...row!, _id: `att_copy${index}` as never }));
    await stack.database.collection('attempts').insertMany(copies);
    // Simulates the expiry of the dead process's lease.
    await stack.database.collection('leases').deleteMany({});
    await stack.restart({});
    await waitFor('the rows to go', async () => (await rowsOf(id)) === 0);
  });
});
