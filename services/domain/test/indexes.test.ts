import mongoose from 'mongoose';
import { DomainService } from './domain-service.js';

test('domains have an index of all rows that begins with nextCheckAt', async () => {
  const service = await DomainService.start();
  const database = await mongoose.createConnection(service.backing.MONGODB_URI).asPromise();
  try {
    const indexes = await database.collection('domains').indexes();
    // MongoDB uses a partial index only for filters that imply its condition.
    const firstFields = indexes
      .filter(({ partialFilterExpression }) => partialFilterExpression === undefined)
      .map(({ key }) => Object.keys(key)[0]);
    expect(firstFields).toContain('nextCheckAt');
  } finally {
    await database.close();
    await service.stop();
  }
});
