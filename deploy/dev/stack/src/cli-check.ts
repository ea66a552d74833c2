import { openStack } from './stack.js';

/** `node deploy/dev/stack/dist/cli-check.js [NAME [fresh]]`: runs only a stack, until Ctrl-C. */
async function main(): Promise<void> {
  const started = Date.now();
  const stack = await openStack({
    name: process.argv[2] ?? 'check',
    fresh: process.argv[3] === 'fresh',
    progress: (line) => console.error(line),
  });
  console.log(`MONGODB_URI=${stack.mongoUri}\nAMQP_URL=${stack.amqpUrl}\nCLICKHOUSE_URL=${stack.clickHouseUrl}`);
  console.error(`${stack.kind}, up after ${Date.now() - started} ms; Ctrl-C stops it`);
  const running = setInterval(() => undefined, 60_000);
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  clearInterval(running);
  await stack.stop();
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
