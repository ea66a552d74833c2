import { randomInt } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';

const PROBE_TIMEOUT_MS = 1_000;

/** `fetch` refuses some lower ones, the last is 10,080. */
const CHOSEN_FROM = 11_000;
/** Higher ones are given to outgoing connections, which could take a port between its choice and its use. */
export const CHOSEN_UP_TO = 29_999;
const ATTEMPTS_MAX = 100;

/** Free loopback ports, all different: each is held until all are found. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function listen(): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    const server = createServer();
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(randomInt(CHOSEN_FROM, CHOSEN_UP_TO + 1), '127.0.0.1', resolve);
      });
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === ATTEMPTS_MAX) throw error;
    }
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
