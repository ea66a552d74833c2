import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { readSettings, requireFreePort } from '@waymark/start/settings';

const LOWEST_OF_USERS = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
const UNPRIVILEGED_USER = 65_534;

test('a taken port is refused with the variable that chooses another', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(requireFreePort(port, 'WAYMARK_PORT')).rejects.toThrow(
    `port ${port} is taken; choose another with WAYMARK_PORT=…`,
  );
  await new Promise((resolve) => server.close(resolve));
  await expect(requireFreePort(port, 'WAYMARK_PORT')).resolves.toBeUndefined();
});

const isRoot = process.getuid?.() === 0;
const isReserved = existsSync(LOWEST_OF_USERS) && Number(readFileSync(LOWEST_OF_USERS, 'utf8')) > 80;

(isRoot && isReserved ? test : test.skip)('a port that only root may use is not called taken', async () => {
  process.seteuid!(UNPRIVILEGED_USER);
  try {
    await expect(requireFreePort(80, 'WAYMARK_PORT')).rejects.toThrow(
      'port 80 is not allowed for this user; choose another with WAYMARK_PORT=…',
    );
  } finally {
    process.seteuid!(0);
  }
});

test.each([
  [{ DEPLOYMENT: 'shop' }, "DEPLOYMENT must be links or qr, not 'shop'"],
  [{ WAYMARK_PORT: '99999' }, "WAYMARK_PORT must be a port, not '99999'"],
  [{ WAYMARK_SHORT_PORT: 'http' }, "WAYMARK_SHORT_PORT must be a port, not 'http'"],
  [{ WAYMARK_PORT: '8090' }, 'WAYMARK_PORT and WAYMARK_SHORT_PORT must differ'],
])('%j is refused: %s', (env, message) => {
  expect(() => readSettings(env)).toThrow(message);
});
