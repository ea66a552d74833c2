import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, isIP, isIPv6 } from 'node:net';

const DNS_PORT = 53;
const TXT = [0, 16];
const INTERNET = [0, 1];
const RECURSION_DESIRED = [1, 0];
const ONE_QUESTION = [0, 1, 0, 0, 0, 0, 0, 0];
const HEADER_LENGTH = 12;
/** Length prefix of each message over TCP: RFC 1035, 4.2.2. */
const LENGTH_BYTES = 2;
const IS_RESPONSE = 0x80;
const IS_TRUNCATED = 0x02;

interface Question {
  id: Buffer;
  message: Buffer;
}

/**
 * Checks whether the server's answer is complete, or truncated over UDP (RFC 1035, 4.1.1) and TCP. Node reports a
 * truncated empty answer and a genuine NODATA the same way.
 */
export async function askIfWhole(
  server: string,
  name: string,
  over: AbortSignal,
): Promise<'whole' | 'truncated' | 'unanswered'> {
  const place = placeOf(server);
  const question = questionFor(name);
  const byUdp = await askByUdp(place, question, over).catch(() => null);
  if (!byUdp) return 'unanswered';
  if (isWhole(byUdp)) return 'whole';
  const byTcp = await askByTcp(place, question, over).catch(() => null);
  return byTcp && isWhole(byTcp) ? 'whole' : 'truncated';
}

const isWhole = (answer: Buffer): boolean => (answer[2]! & IS_TRUNCATED) === 0;

const answers = (message: Buffer, { id }: Question): boolean =>
  message.length >= HEADER_LENGTH && message.subarray(0, 2).equals(id) && (message[2]! & IS_RESPONSE) !== 0;

async function askByUdp({ address, port }: Place, question: Question, over: AbortSignal): Promise<Buffer> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    const connected = once(socket, 'connect', { signal: over });
    socket.connect(port, address);
    await connected;
    socket.send(question.message);
    for (;;) {
      const [message] = (await once(socket, 'message', { signal: over })) as [Buffer];
      if (answers(message, question)) return message;
    }
  } finally {
    socket.close();
  }
}

async function askByTcp({ address, port }: Place, question: Question, over: AbortSignal): Promise<Buffer> {
  const socket = connect({ host: address, port, signal: over });
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(question.message.length);
  socket.write(Buffer.concat([length, question.message]));
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer]);
    // The header is enough.
    if (received.length >= LENGTH_BYTES + HEADER_LENGTH) break;
  }
  const message = received.subarray(LENGTH_BYTES);
  if (answers(message, question)) return message;
  throw new Error('no answer');
}

interface Place {
  address: string;
  port: number;
}

/** Parses the formats of `Resolver`: `address`, `address:port`, `[address]:port`. */
function placeOf(server: string): Place {
  if (isIP(server)) return { address: server, port: DNS_PORT };
  const colon = server.lastIndexOf(':');
  return { address: server.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(server.slice(colon + 1)) };
}

function questionFor(name: string): Question {
  const id = randomBytes(2);
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
  const header = Buffer.concat([id, Buffer.from([...RECURSION_DESIRED, ...ONE_QUESTION])]);
  return { id, message: Buffer.concat([header, ...labels, Buffer.from([0, ...TXT, ...INTERNET])]) };
}
