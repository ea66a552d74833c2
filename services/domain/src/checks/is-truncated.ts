import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP, isIPv6 } from 'node:net';

const DNS_PORT = 53;
const TXT = [0, 16];
const INTERNET = [0, 1];
const RECURSION_DESIRED = [1, 0];
const ONE_QUESTION = [0, 1, 0, 0, 0, 0, 0, 0];
const IS_RESPONSE = 0x80;
const IS_TRUNCATED = 0x02;

/**
 * Whether the server's answer by UDP is cut off (RFC 1035, 4.1.1). Node tells an answer that was cut off to nothing, and
 * by TCP again, from one that says there is no record in nothing. True also where there is no answer.
 */
export async function isTruncated(server: string, name: string, over: AbortSignal): Promise<boolean> {
  const { address, port } = placeOf(server);
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    const connected = once(socket, 'connect', { signal: over });
    socket.connect(port, address);
    await connected;
    const id = randomBytes(2);
    socket.send(questionFor(id, name));
    for (;;) {
      const [answer] = (await once(socket, 'message', { signal: over })) as [Buffer];
      const isOurs = answer.length >= 12 && answer.subarray(0, 2).equals(id) && (answer[2]! & IS_RESPONSE) !== 0;
      if (isOurs) return (answer[2]! & IS_TRUNCATED) !== 0;
    }
  } catch {
    return true;
  } finally {
    socket.close();
  }
}

/** As `Resolver` takes and gives them: `address`, `address:port`, `[address]:port`. */
function placeOf(server: string): { address: string; port: number } {
  if (isIP(server)) return { address: server, port: DNS_PORT };
  const colon = server.lastIndexOf(':');
  return { address: server.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(server.slice(colon + 1)) };
}

function questionFor(id: Buffer, name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
  const header = Buffer.concat([id, Buffer.from([...RECURSION_DESIRED, ...ONE_QUESTION])]);
  return Buffer.concat([header, ...labels, Buffer.from([0, ...TXT, ...INTERNET])]);
}
