import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@waymark/testing/wait-for';
import { answering, Receiver, slowly } from './receiver.js';
import { linkEvent, loggedScan, scanEvent, Stack } from './stack.js';

/** A receiver that does not answer keeps its request until the test releases it. */
const UNHURRIED = { timeoutMs: 600_000 };

let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
});
afterAll(() => receiver.stop());

describe('two processes', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start({}, UNHURRIED);
    await stack.addProcess({}, UNHURRIED);
  });
  afterAll(() => stack.stop());

  test('deliver each event once, with no more at a time than one process would', async () => {
    let atOnce = 0;
    let most = 0;
    const counted = receiver.at('/counted', (response) => {
      most = Math.max(most, (atOnce += 1));
      setTimeout(() => {
        atOnce -= 1;
        response.writeHead(200).end();
      }, 20);
    });
    await stack.subscribe(counted, 'two');
    await stack.subscribe(receiver.at('/other'), 'two');
    const count = 150;
    for (let i = 0; i < count; i += 1) await stack.publish(linkEvent('two'));
    await waitFor('all', () => receiver.on('/counted').length >= count && receiver.on('/other').length >= count);
    const attempts = stack.database.collection('attempts');
    await waitFor('their rows', async () => (await attempts.countDocuments({ status: 'succeeded' })) === 2 * count);
    for (const path of ['/counted', '/other']) {
      const ids = receiver.on(path).map((request) => request.id);
      expect([ids.length, new Set(ids).size]).toEqual([count, count]);
    }
    expect(most).toBeLessThanOrEqual(10);
  });
});

describe('a process that died in the middle', () => {
  test('leaves its endpoint to the next one when its lease has run out, with the same ids', async () => {
    const stack = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '600' });
    const { id } = await stack.subscribe(receiver.at('/orphan', answering(500, 200)), 'orphan');
    await stack.publish(linkEvent('orphan'));
    await waitFor('the first attempt', async () => (await stack.attempts(id, 'orphan')).length === 2);
    await stack.stopServices();
    // The state that a killed process leaves: a held lease, and an attempt without an outcome.
    const heldUntil = new Date(Date.now() + 1500);
    const held = { $set: { leaseUntil: heldUntil, dueAt: new Date() }, $inc: { leaseNo: 1 } };
    await stack.database.collection('endpoints').updateOne({ _id: id as never }, held);
    await stack.database.collection('attempts').updateMany({ status: 'pending' }, { $set: { dueAt: new Date() } });
    await stack.restart({});
    await waitFor('the second attempt', async () => (await stack.attempts(id, 'orphan'))[0].status === 'succeeded');
    const [first, second] = receiver.on('/orphan');
    expect(second!.id).toBe(first!.id);
    expect(second!.at).toBeGreaterThanOrEqual(heldUntil.getTime());
    expect(receiver.on('/orphan')).toHaveLength(2);
    await stack.stop();
  });

  test('and comes back to life writes no failure into an endpoint that another holds', async () => {
    const stack = await Stack.start();
    const zombie = receiver.at('/zombie', async (response, nth) => {
      if (nth === 0) {
        const taken = { $set: { leaseUntil: new Date(0), dueAt: new Date() }, $inc: { leaseNo: 1 } };
        await stack.database.collection('endpoints').updateOne({ _id: id as never }, taken);
        response.writeHead(500).end();
      } else response.writeHead(200).end();
    });
    const { id } = await stack.subscribe(zombie, 'zombie');
    await stack.publish(linkEvent('zombie'));
    const rows = await waitFor('the end', async () => {
      const found = await stack.attempts(id, 'zombie');
      return found.every(({ status }) => status === 'succeeded') && found.length > 0 && found;
    });
    expect(rows.map((row) => row.attempt_number)).toEqual([1]);
    expect(await stack.endpoint(id, 'zombie')).toMatchObject({ status: 'healthy', consecutive_failures: 0 });
    await stack.stop();
  });

  test('when it was stopped properly finishes what is in flight and leaves the rest to the next at once', async () => {
    const stack = await Stack.start({}, { endpointConcurrency: 2 });
    const { id } = await stack.subscribe(receiver.at('/stopping', slowly(150)), 'stopping');
    for (let i = 0; i < 12; i += 1) await stack.publish(linkEvent('stopping'));
    await waitFor('some', () => receiver.on('/stopping').length >= 4);
    await stack.stopServices();
    const before = receiver.on('/stopping').length;
    expect(before).toBeLessThan(12);
    await stack.restart({});
    await waitFor('the rest', async () =>
      (await stack.attempts(id, 'stopping')).every(({ status }) => status === 'succeeded'),
    );
    expect(receiver.on('/stopping').map((request) => request.id)).toHaveLength(12);
    await stack.stop();
  });
});

describe('an endpoint whose events were all delivered', () => {
  test('is claimed once for events that follow each other closely, and released after them', async () => {
    const stack = await Stack.start();
    const { id } = await stack.subscribe(receiver.at('/steady'), 'steady');
    const attempts = stack.database.collection('attempts');
    const endpoint = async () => (await stack.database.collection('endpoints').findOne({ _id: id as never }))!;
    const deliver = async () => {
      await stack.publish(linkEvent('steady'));
      await waitFor('the delivery', async () => (await attempts.countDocuments({ status: 'pending' })) === 0);
      // Longer than a release takes.
      await sleep(50);
    };
    // On a busy machine some events do not follow closely.
    await waitFor('five events with one claim', async () => {
      const { leaseNo: before } = await endpoint();
      for (let count = 0; count < 5; count += 1) await deliver();
      return (await endpoint())['leaseNo'] <= before + 1;
    });
    await waitFor('the release', async () => (await endpoint())['leaseUntil'] <= new Date());
    await stack.stop();
  });
});

describe('a process whose clock has jumped past its leases', () => {
  test('serves others while it still sends to the endpoints that it held', async () => {
    const stack = await Stack.start({}, UNHURRIED);
    const held = receiver.hold('/held');
    const { id } = await stack.subscribe(held.url, 'held');
    await stack.subscribe(receiver.at('/others'), 'others');
    for (let i = 0; i < 2; i += 1) await stack.publish(linkEvent('held'));
    await waitFor('the POST', () => receiver.on('/held').length === 1);
    const endpoints = stack.database.collection<{ _id: string; leaseUntil: Date }>('endpoints');
    await endpoints.updateOne({ _id: id }, { $set: { leaseUntil: new Date(0), dueAt: new Date() } });
    await waitFor('the next lease', async () => (await endpoints.findOne({ _id: id }))!.leaseUntil > new Date());
    await stack.publish(linkEvent('others'));
    await waitFor('the delivery', () => receiver.on('/others').length === 1);
    held.release();
    await stack.stop();
  });
});

describe('an endpoint that only fails', () => {
  test('gets one delivery a second after ten failures, and all of them once one succeeds', async () => {
    const stack = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '600' }, UNHURRIED);
    let isUp = false;
    let atOnce = 0;
    let most = 0;
    const moody = receiver.at('/moody', (response) => {
      if (!isUp) return void response.writeHead(500).end();
      most = Math.max(most, (atOnce += 1));
      setTimeout(() => {
        atOnce -= 1;
        response.writeHead(200).end();
      }, 20);
    });
    await stack.subscribe(moody, 'moody');
    const count = 60;
    for (let i = 0; i < count; i += 1) await stack.publish(linkEvent('moody'));
    await waitFor('probes', () => receiver.on('/moody').length >= 13);
    const probes = receiver.on('/moody').slice(10);
    expect(probes[2]!.at - probes[0]!.at).toBeGreaterThan(1800);
    isUp = true;
    await waitFor('the rest', () => receiver.on('/moody').length === count);
    // After a success, several deliveries are in flight again.
    expect(most).toBeGreaterThan(1);
    await stack.stop();
  });

  test('for five days, here one second, is disabled with an audited event', async () => {
    const stack = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '0.3,0.3,0.3,0.3,0.3,0.3' }, { disableAfterMs: 1000 });
    const { id } = await stack.subscribe(receiver.at('/dead', answering(500)), 'dead');
    const sporadic = await stack.subscribe(receiver.at('/sporadic', answering(500, 200, 500)), 'dead');
    await stack.publish(linkEvent('dead'));
    await waitFor('the end', async () => (await stack.endpoint(id, 'dead')).status === 'disabled');
    const failures = (await stack.attempts(id, 'dead')).filter(({ status_code }) => status_code === 500);
    expect(failures.length).toBeGreaterThanOrEqual(3);
    expect(failures.length).toBeLessThan(7);
    expect(await stack.endpoint(sporadic.id, 'dead')).toMatchObject({ status: 'healthy' });
    const event = await waitFor('the event', async () => (await stack.emitted('webhook.disabled', 'dead'))[0]);
    expect(event.audit.target).toMatchObject({ type: 'webhook', id });
    await stack.stop();
  });

  test('for that time without a delivery is tried once more before it is disabled', async () => {
    // Far longer than the five attempts take.
    const disableAfterMs = 30_000;
    const stack = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '0.01,0.01,0.01,0.01' }, { disableAfterMs });
    const statuses = [500, 500, 500, 500, 500, 500, 200];
    const { id } = await stack.subscribe(receiver.at('/quiet', answering(...statuses)), 'quiet');
    const startedAt = Date.now();
    await stack.publish(linkEvent('quiet'));
    await stack.ended(id, 'quiet', 5);
    await waitFor('the quiet time', () => Date.now() - startedAt > 33_000);
    await stack.publish(linkEvent('quiet'));
    await waitFor('the retry', () => receiver.on('/quiet').length === statuses.length);
    await waitFor('health', async () => (await stack.endpoint(id, 'quiet')).status === 'healthy');
    await stack.stop();
  });

  test('leaves the healthy one its place when all 19 others of the workspace hang', async () => {
    const stack = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '0,0,0,0,0,0' }, UNHURRIED);
    const hanging = receiver.hold('/hang-all');
    for (let i = 0; i < 19; i += 1) await stack.subscribe(hanging.url, 'graveyard', ['link.created']);
    await stack.subscribe(receiver.at('/alive'), 'graveyard', ['scan.logged']);
    for (let i = 0; i < 3; i += 1) await stack.publish(linkEvent('graveyard'));
    await waitFor('each to hang', () => receiver.on('/hang-all').length === 19);
    for (let i = 0; i < 10; i += 1) {
      await stack.publish(scanEvent([loggedScan('graveyard')]));
      await waitFor('the delivery', () => receiver.on('/alive').length === i + 1);
    }
    hanging.release();
    await stack.stop();
  });

  test('and succeeds after one failure is not put behind those that hang', async () => {
    const stack = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '3' }, UNHURRIED);
    const hanging = receiver.hold('/hang-beside');
    for (let i = 0; i < 19; i += 1) await stack.subscribe(hanging.url, 'stumble', ['link.created']);
    await stack.subscribe(receiver.at('/stumbles', answering(500, 200)), 'stumble', ['scan.logged']);
    for (let i = 0; i < 3; i += 1) await stack.publish(linkEvent('stumble'));
    await waitFor('all to hang', () => receiver.on('/hang-beside').length >= 19);
    for (let i = 1; i <= 2; i += 1) {
      await stack.publish(scanEvent([loggedScan('stumble')]));
      await waitFor('the attempt', () => receiver.on('/stumbles').length === i);
    }
    await waitFor('the retry', () => receiver.on('/stumbles').length === 3);
    hanging.release();
    await stack.stop();
  });

  test('for long, but has recovered, is not kept waiting by those that hang', async () => {
    const stack = await Stack.start({}, UNHURRIED);
    const hanging = receiver.hold('/hang-dead');
    for (let i = 0; i < 5; i += 1) await stack.subscribe(hanging.url, 'dead-all', ['link.created']);
    await stack.subscribe(receiver.at('/recovered'), 'dead-all', ['scan.logged']);
    await stack.database.collection('endpoints').updateMany({}, { $set: { consecutiveFailures: 10 } });
    await stack.publish(linkEvent('dead-all'));
    await waitFor('one to hang', () => receiver.on('/hang-dead').length >= 1);
    await stack.publish(scanEvent([loggedScan('dead-all')]));
    await waitFor('the probe', () => receiver.on('/recovered').length === 1);
    hanging.release();
    await stack.stop();
  });
});
