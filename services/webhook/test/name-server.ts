import { createSocket, type Socket } from 'node:dgram';

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** Answers every question about addresses with what it is told to, each answer in turn, for no time to live. */
export class NameServer {
  questions = 0;
  private answers: string[][] = [[]];

  private constructor(private readonly socket: Socket) {
    socket.on('message', (query, from) => socket.send(this.reply(query), from.port, from.address));
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new NameServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /** The IPv4 addresses of every name, one list for each question; the last list stays. */
  answer(...answers: string[][]): void {
    this.answers = answers;
    this.questions = 0;
  }

  stop(): void {
    this.socket.close();
  }

  private reply(query: Buffer): Buffer {
    const end = query.indexOf(0, 12) + 5;
    const type = query.readUInt16BE(end - 4);
    const addresses = type === TYPE_A ? this.next() : [];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(type === TYPE_AAAA ? 0 : addresses.length, 6);
    return Buffer.concat([header, query.subarray(12, end), ...addresses.map(record)]);
  }

  private next(): string[] {
    const answer = this.answers[Math.min(this.questions, this.answers.length - 1)]!;
    this.questions += 1;
    return answer;
  }
}

function record(address: string): Buffer {
  const head = Buffer.from([0xc0, 0x0c, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4]);
  return Buffer.concat([head, Buffer.from(address.split('.').map(Number))]);
}
