import mongoose from 'mongoose';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { secretKey } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { publishEvent } from '@waymark/testing/publish-event';
import { waitFor } from '@waymark/testing/wait-for';
import { startAudit } from '@waymark/audit/app';
import { auditConfig } from '@waymark/audit/config';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { AUDIT_KEY, openLog, verdictOn } from './open-log.js';
import { folderEvent } from './service.js';

const backing = freshBacking();
const EVENTS = 300;

test('replicas that start and stop store every event once and in order', async () => {
  const env = {
    ...backing,
    IDENTITY_KEY: secretKey(),
    API_BASE_URL: 'http://api.test',
    AUDIT_SIGNING_KEY: AUDIT_KEY.privateKey,
  };
  const replicas = [1, 2, 3].map(() => testProcess(auditConfig, env));
  for (const replica of replicas) await startAudit(replica);
  const publishing = new Lifecycle(createLog('test', 'silent'));
  const broker = new Broker(
    { url: backing.AMQP_URL, namespace: backing.AMQP_NAMESPACE, name: 'test' },
    { log: createLog('test', 'silent'), lifecycle: publishing },
  );
  const publisher = openPublisher(broker);
  broker.start();
  const { stores, close } = await openLog(backing.MONGODB_URI);
  const database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  const entries = database.collection<StoredEntry>('log_entries');
  try {
    const events = Array.from({ length: EVENTS }, () => folderEvent('acme'));
    const [first, ...rest] = events;
    await publishEvent(publisher, first!);
    for (const event of rest)
      void publisher.publish(event.type, event.id, JSON.stringify(event)).catch(() => undefined);
    // Stops the replicas one after the other, each while events are still being stored.
    for (const [index, share] of [0.2, 0.6].entries()) {
      await waitFor('a part of them', async () => (await entries.countDocuments({})) >= EVENTS * share);
      await replicas[index]!.lifecycle.stop();
    }
    await waitFor('all of them', async () => (await entries.countDocuments({})) === EVENTS);
    const chain = await entries.find({}).sort({ seq: 1 }).toArray();
    expect(chain.map(({ _id }) => _id.replace('aud_', 'evt_'))).toEqual(events.map(({ id }) => id));
    expect(await verdictOn(stores, 'acme')).toEqual({ valid: true, checked: EVENTS, first_break: null });
  } finally {
    for (const replica of replicas) await replica.lifecycle.stop();
    await publishing.stop();
    await close();
    await database.close();
  }
});
