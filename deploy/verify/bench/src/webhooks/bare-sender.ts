import { Agent, request } from 'undici';

/** The least that can send the same bodies: as many at a time, no queue, no signature, no record. */
export interface BareLoad {
  urls: string[];
  requests: number;
  atOnce: number;
  body: string;
}

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'bare' };

export interface BareResult {
  cpuSeconds: number;
}

async function send({ urls, requests, atOnce, body }: BareLoad): Promise<BareResult> {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  let next = 0;
  const cpuBefore = process.cpuUsage();
  const one = async () => {
    while (next < requests) {
      const url = urls[next % urls.length]!;
      next += 1;
      const { body: answer } = await request(url, { dispatcher, method: 'POST', headers: HEADERS, body });
      await answer.dump();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { cpuSeconds: (user + system) / 1e6 };
}

process.once('message', (load: BareLoad) => {
  void send(load).then((result) => process.send!(result, () => process.exit()));
});
