import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { waitFor } from '@waymark/testing/wait-for';
import { AccountSystem, newAddress } from './account-system.js';
import { usualSteps } from './steps.js';

let system: AccountSystem;
beforeAll(async () => (system = await AccountSystem.start({}, 2)));
afterAll(() => system.stop());

const rows = () => system.database.collection<{ _id: string }>('counted_events');
const passMinute = () => rows().updateMany({}, { $set: { dueAt: new Date(0) } });
const failuresOf = async (userId: string) => {
  const events = await system.eventsOf('session.failed', userId);
  return events.map(({ audit, data, actor, ip_address }) => ({ audit, data, actor, ip_address }));
};

async function fail(email: string, times: number, headers: Record<string, string> = {}): Promise<void> {
  for (let tried = 0; tried < times; tried += 1) {
    const ask = { headers: { ...newAddress(), ...headers }, replica: tried % 2 };
    expect((await system.trySignIn({ email, password: 'wrong' }, ask)).status).toBe(401);
  }
}

test('a failed sign-in of a user has an event at once, and further ones one together a minute later', async () => {
  const { id, email } = await system.newUser();
  const workspace = { slug: 'attacked', name: 'Attacked', owner: email };
  await COMMANDS['workspace create']!.run(adminTargets(system.env), workspace);

  await fail(email, 1);
  const [first] = await waitFor('the first event', async () => {
    const failures = await failuresOf(id);
    return failures.length > 0 && failures;
  });
  expect(first!.audit.changes).toEqual({ count: { from: null, to: 1 } });

  await fail(email, 12);
  await fail(email, 1, { 'x-forwarded-for': '203.0.113.99' });
  expect(await failuresOf(id)).toHaveLength(1);
  await passMinute();

  const [, second] = await waitFor('the second event', async () => {
    const failures = await failuresOf(id);
    return failures.length > 1 && failures;
  });
  expect(second).toEqual({
    audit: { target: { type: 'user', id, label: email }, changes: { count: { from: null, to: 13 } } },
    data: { user_id: id, email, workspaces: ['attacked'] },
    actor: { type: 'user', id: null, name: null, email: null, token_id: null },
    ip_address: '203.0.113.99',
  });
  await passMinute();
  await waitFor('the end of the count', async () => (await rows().countDocuments()) === 0);
  expect(await failuresOf(id)).toHaveLength(2);
});

test('an unknown e-mail takes the same steps, and has no event', async () => {
  const { id, email } = await system.newUser();
  const unknown = 'nobody-here@example.org';
  const steps = (address: string) => usualSteps((headers) => fail(address, 1, headers));

  const [known, other] = [await steps(email), await steps(unknown)];

  expect(known).toContain('counted_events.updateOne');
  expect(other).toEqual(known);
  await waitFor('the event', async () => (await failuresOf(id)).length > 0);
  await waitFor('the end of the counts', async () => {
    await passMinute();
    return (await rows().countDocuments()) === 0;
  });
  const mentions = await system.database.collection('outbox').countDocuments({ body: /nobody-here/ });
  expect(mentions).toBe(0);
});

test('a count that cannot be reported fails no sign-in and no other report', async () => {
  const { id, email } = await system.newUser();
  const damaged = { _id: 'damaged', type: 'session.failed', subject: { not: 'text' }, count: 1, dueAt: new Date(0) };
  await rows().insertOne(damaged);

  await fail(email, 1);
  await waitFor('the event', async () => (await failuresOf(id)).length > 0);

  await rows().deleteOne({ _id: 'damaged' });
});
