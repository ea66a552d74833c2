const { TestEnvironment } = require('jest-environment-node');

/**
 * Drops the databases of a test file at its end. Left behind, they would slow down every later test: the database looks
 * for expired documents in all of them, every second.
 */
module.exports = class DroppingEnvironment extends TestEnvironment {
  async teardown() {
    // Noted by `freshBacking`.
    const { testDatabases } = this.global;
    if (testDatabases) await dropDatabases(testDatabases);
    await super.teardown();
  }
};

/** Drops databases of one server, and those of the services that were started with them, whose names are longer. */
async function dropDatabases({ server, names }) {
  const { MongoClient } = require('mongoose').mongo;
  const client = new MongoClient(server, { serverSelectionTimeoutMS: 2000 });
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    const dropped = databases.filter((database) => names.some((name) => database.name.startsWith(name)));
    for (const { name } of dropped) await client.db(name).dropDatabase();
  } catch (error) {
    // Some tests end their own server.
    if (error.name !== 'MongoServerSelectionError') throw error;
  } finally {
    await client.close();
  }
}
