import { join } from 'node:path';
import mongoose, { type Connection } from 'mongoose';
import { ServiceCaller } from '@waymark/testing/service-caller';
import { backing } from '@waymark/launcher/process-table';
import { loadOrCreateSecrets } from '@waymark/launcher/secrets';
import { waitFor } from '@waymark/testing/wait-for';
import { openEnvironment, type Stoppable } from './install.js';
import { consumeEveryEvent } from './join-broker.js';

/** One resource service, and a consumer that takes its events. */
export interface ResourceInstallation extends Stoppable {
  caller: ServiceCaller;
  /** The service's own database. */
  database: Connection;
}

export function installResource(): Promise<ResourceInstallation> {
  return openEnvironment(async ({ settings, lifecycle, start }) => {
    const publisher = consumeEveryEvent(settings, lifecycle);
    await waitFor('the broker', () => Promise.resolve(publisher.isUp));
    const system = await start(['resource']);
    const database = await mongoose.createConnection(backing(settings, 'resource')['MONGODB_URI']!).asPromise();
    lifecycle.onStop('database', () => database.close());
    const keys = loadOrCreateSecrets(join(settings.folder, 'secrets.json'));
    const caller = new ServiceCaller('resource', () => system.process('resource').url, keys);
    return { caller, database };
  });
}
