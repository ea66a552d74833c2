import { createServer, type ServerResponse } from 'node:http';

/** The typical response time of a receiver on the internet. */
const LATER_MS = 50;

/**
 * Takes webhooks in a process of its own: counts those of each path, and answers at once; `/later…` answers after a
 * while, and `/hang…` never.
 */
const counts: Record<string, number> = {};
const hanging = new Set<ServerResponse>();
let firstAt = 0;
let lastAt = 0;

const server = createServer((request, response) => {
  const path = request.url!;
  request.resume().on('end', () => {
    counts[path] = (counts[path] ?? 0) + 1;
    if (path.startsWith('/hang')) return void hanging.add(response);
    lastAt = Date.now();
    firstAt ||= lastAt;
    const answer = () => response.writeHead(204).end();
    if (path.startsWith('/later')) setTimeout(answer, LATER_MS);
    else answer();
  });
});

process.on('message', (message: 'report' | 'reset') => {
  if (message === 'reset') {
    for (const path of Object.keys(counts)) delete counts[path];
    for (const response of hanging) response.destroy();
    hanging.clear();
    firstAt = 0;
    lastAt = 0;
  }
  process.send!({ counts, firstAt, lastAt });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as { port: number }).port }));
