import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './prepare.mjs';

/**
 * The database, the broker and ClickHouse of a test run. They start when the first test asks for them by the socket
 * `ask` in the folder (see `shared/testing/src/servers.ts`); later tests read the answer from `servers.json` beside it.
 */
export class TestServers {
  folder = mkdtempSync(join(tmpdir(), 'waymark-test-'));
  #stack;
  #server = createServer((socket) => {
    socket.on('error', () => undefined);
    void this.#answer().then((text) => socket.end(text));
  });

  listen() {
    return new Promise((resolve) => this.#server.listen(join(this.folder, 'ask'), resolve));
  }

  async stop() {
    this.#server.close();
    await this.#stack?.then(
      (stack) => stack.stop(),
      () => undefined,
    );
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #answer() {
    try {
      const { mongoUri, amqpUrl, clickHouseUrl } = await (this.#stack ??= this.#open());
      const text = JSON.stringify({ MONGODB_URI: mongoUri, AMQP_URL: amqpUrl, CLICKHOUSE_URL: clickHouseUrl });
      // Renamed, so that no test reads half of it.
      writeFileSync(join(this.folder, 'servers.new'), text);
      renameSync(join(this.folder, 'servers.new'), join(this.folder, 'servers.json'));
      return text;
    } catch (error) {
      return JSON.stringify({ error: error.message });
    }
  }

  #open() {
    const { openStack } = createRequire(import.meta.url)(join(root, 'deploy/dev/stack/dist/stack.js'));
    return openStack({ name: 'test', fresh: true, progress: (line) => console.error(line) });
  }
}
