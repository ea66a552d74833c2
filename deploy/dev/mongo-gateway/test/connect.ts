import mongoose, { type Connection } from 'mongoose';
import { testServers } from '@waymark/testing/servers';

/** A database of its own for a test file, dropped before and after. */
export async function openTestDatabase(name: string): Promise<Connection> {
  const { MONGODB_URI: uri } = testServers();
  const dbName = `local-${name}-${process.pid}`;
  const connection = await mongoose.createConnection(uri, { dbName, serverSelectionTimeoutMS: 5_000 }).asPromise();
  await connection.dropDatabase();
  return connection;
}

export async function closeTestDatabase(connection: Connection): Promise<void> {
  await connection.dropDatabase();
  await connection.close();
}

export async function rejection(promise: Promise<unknown>): Promise<Record<string, unknown> & Error> {
  return promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: Record<string, unknown> & Error) => error,
  );
}
