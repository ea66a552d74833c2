const { TestEnvironment } = require('jest-environment-node');

/**
 * Drops the databases of a test file at its end. Left behind, they would slow down every later test: the database looks
 * for expired documents in all of them, every second.
 */
module.exports = class DroppingEnvironment extends TestEnvironment {
  async teardown() {
    // Noted by `freshBacking`.
    for (const uri of this.global.testDatabases ?? []) await dropDatabases(uri);
    await super.teardown();
  }
};

/** Drops the database of a URI and those of the services that were started with it, which have longer names. */
async function dropDatabases(uri) {
  const { MongoClient } = require('mongoose').mongo;
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2000 });
  const { databaseName } = client.db();
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    for (const { name } of databases) if (name.startsWith(databaseName)) await client.db(name).dropDatabase();
  } catch (error) {
    // Some tests end their own server.
    if (error.name !== 'MongoServerSelectionError') throw error;
  } finally {
    await client.close();
  }
}
