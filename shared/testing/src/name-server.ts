import { createSocket, type Socket } from 'node:dgram';
import { createServer, isIP, type Server } from 'node:net';

const A = 1;
const CNAME = 5;
const TXT = 16;
const AAAA = 28;
const CODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
/** A character string of a TXT record; longer values are several. */
const CHUNK_MAX = 255;

/** `silent` lets clients time out; `truthful` answers from the records; `truncated` sends no more than the flag. */
export type Manner = 'truthful' | 'silent' | 'truncated' | 'truncated by UDP' | Exclude<keyof typeof CODES, 'NOERROR'>;

/** A DNS server on loopback (UDP). Its answers may change at any time, so their time to live is 0. */
export class NameServer {
  /** The number of questions since the answers were last set. */
  questions = 0;
  manner: Manner = 'truthful';
  /** How long it takes to answer. */
  delayMs = 0;
  private addresses: string[][] = [[]];
  private readonly aliases = new Map<string, string>();
  private overTcp?: Server;
  private isStopped = false;
  private readonly texts = new Map<string, string[]>();
  private held?: { answers: (() => void)[]; isFor: (name: string) => boolean };

  private constructor(private readonly socket: Socket) {
    socket.on('message', (query, from) => {
      const reply = this.reply(query);
      const send = () => reply && !this.isStopped && socket.send(reply, from.port, from.address);
      if (this.held?.isFor(nameIn(query))) this.held.answers.push(send);
      else if (this.delayMs > 0) setTimeout(send, this.delayMs);
      else send();
    });
  }

  static async start(port = 0): Promise<NameServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(port, '127.0.0.1', resolve));
    return new NameServer(socket);
  }

  /** Listens over TCP too, at the same port; picks another port if this one is taken for TCP. */
  static async startOverTcp(): Promise<NameServer> {
    for (let attempt = 1; ; attempt += 1) {
      const server = await NameServer.start();
      try {
        await server.listenOverTcp();
        return server;
      } catch (error) {
        await server.stop();
        if (attempt === 20) throw error;
      }
    }
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /**
   * The addresses of every name, one list for each question for IPv4 addresses; the last list stays. A name in a list
   * is the alias's target, to which the addresses belong.
   */
  answer(...addresses: string[][]): void {
    this.addresses = addresses;
    this.questions = 0;
  }

  /** Sets the TXT records of a name. Without any the name exists and has none; a name never set does not exist. */
  setTexts(name: string, ...values: string[]): void {
    this.texts.set(name.toLowerCase(), values);
  }

  /** Makes the name an alias of this target, without the target's records. */
  setAlias(name: string, target: string): void {
    this.aliases.set(name.toLowerCase(), target);
  }

  private async listenOverTcp(): Promise<void> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (message) => {
        const reply = this.reply(message.subarray(2), this.manner === 'truncated by UDP' ? 'truthful' : this.manner);
        if (reply) socket.write(Buffer.concat([Buffer.from([reply.length >> 8, reply.length & 0xff]), reply]));
      });
    });
    const { port } = this.socket.address();
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
    this.overTcp = server;
  }

  removeName(name: string): void {
    this.texts.delete(name.toLowerCase());
  }

  /** Holds every answer (about these names), with its present content, until `release` is called. */
  hold(isFor: (name: string) => boolean = () => true): { count: () => number; release: () => void } {
    const answers: (() => void)[] = [];
    const held = { answers, isFor };
    this.held = held;
    const release = () => {
      if (this.held === held) this.held = undefined;
      for (const send of answers.splice(0)) send();
    };
    return { count: () => answers.length, release };
  }

  stop(): Promise<void> {
    this.isStopped = true;
    this.overTcp?.close();
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }

  private reply(query: Buffer, manner = this.manner): Buffer | undefined {
    const end = query.indexOf(0, 12) + 5;
    const type = query.readUInt16BE(end - 4);
    const records = type === TXT ? this.textsOf(query) : this.addressRecords(type);
    if (manner === 'silent') return undefined;
    const isTruthful = manner === 'truthful';
    const code = isTruthful && !records ? CODES.NXDOMAIN : (CODES[manner as keyof typeof CODES] ?? CODES.NOERROR);
    const answers = (isTruthful && records) || [];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | code | (manner.startsWith('truncated') ? 0x0200 : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    return Buffer.concat([header, query.subarray(12, end), ...answers]);
  }

  private addressRecords(type: number): Buffer[] {
    const answer = this.addresses[Math.min(this.questions, this.addresses.length - 1)]!;
    if (type === A) this.questions += 1;
    return recordsOf(answer, type);
  }

  private textsOf(query: Buffer): Buffer[] | undefined {
    this.questions += 1;
    const alias = this.aliases.get(nameIn(query));
    if (alias !== undefined) return [record(CNAME, encodedName(alias))];
    return this.texts.get(nameIn(query))?.map((text) => record(TXT, characterStrings(text)));
  }
}

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let offset = 12; query[offset]! > 0; offset += query[offset]! + 1)
    labels.push(query.toString('ascii', offset + 1, offset + 1 + query[offset]!));
  return labels.join('.').toLowerCase();
}

function characterStrings(text: string): Buffer {
  const chunks = text.match(new RegExp(`.{1,${CHUNK_MAX}}`, 'gs')) ?? [''];
  return Buffer.concat(chunks.flatMap((chunk) => [Buffer.from([chunk.length]), Buffer.from(chunk, 'latin1')]));
}

function recordsOf(answer: string[], type: number): Buffer[] {
  const family = type === A ? 4 : type === AAAA ? 6 : undefined;
  const alias = answer.find((text) => isIP(text) === 0);
  const owner = alias === undefined ? QUESTION : encodedName(alias);
  const records = answer.filter((text) => isIP(text) === family).map((text) => record(type, bytesOf(text), owner));
  return alias === undefined ? records : [record(CNAME, owner), ...records];
}

/** The name of the question, as a pointer to its offset in the message. */
const QUESTION: Buffer = Buffer.from([0xc0, 0x0c]);

/** RFC 1035 §4.1.3, with a time to live of 0. */
function record(type: number, data: Buffer, owner = QUESTION): Buffer {
  const head = Buffer.from([0, type, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 0xff]);
  return Buffer.concat([owner, head, data]);
}

function encodedName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // The URL parser makes one form of all spellings: groups of hexadecimal digits, at most once `::`.
  const [head = [], tail = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
