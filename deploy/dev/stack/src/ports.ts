import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const PROBE_TIMEOUT_MS = 1_000;

/** `fetch` refuses some lower ones, the last is 10,080. */
const CHOSEN_FROM = 11_000;
/** Higher ones are given to outgoing connections, which could take a port between its choice and its use. */
export const CHOSEN_UP_TO = 29_999;
const ATTEMPTS_MAX = 100;

/** One file for each port that a process of this user has chosen. */
const CLAIMS = join(tmpdir(), `waymark-ports-${userInfo().uid}`);
/** By then its server has started, or never will. */
const CLAIMED_MS = 10 * 60_000;

/** Free loopback ports, which no other process chooses until their servers have had time to start. */
export async function freePorts(count: number): Promise<number[]> {
  mkdirSync(CLAIMS, { recursive: true });
  removeOldClaims();
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function listen(): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(CHOSEN_FROM, CHOSEN_UP_TO + 1);
    const server = createServer();
    try {
      claim(port);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', resolve);
      });
      return server;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'EADDRINUSE' && code !== 'EEXIST') || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** @throws an error with the code `EEXIST` for a port that is claimed */
function claim(port: number): void {
  writeFileSync(join(CLAIMS, String(port)), '', { flag: 'wx' });
}

function removeOldClaims(): void {
  for (const name of readdirSync(CLAIMS)) {
    const file = join(CLAIMS, name);
    const claimedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - claimedAt > CLAIMED_MS) rmSync(file, { force: true });
  }
}

/** Whether a server on this port says anything after `greeting` (or, without one, takes the connection). */
export function answers(port: number, greeting?: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const end = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => end(false));
    socket.once('connect', () => (greeting ? socket.write(greeting) : end(true)));
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}
