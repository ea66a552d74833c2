import { createServer } from 'node:http';

/** A stub of a service behind the gateway: the same page of about 1 kB for every request, nothing verified. */
const port = Number(process.argv[2]);
const link = {
  id: 'lnk_01K0000000000000000000000',
  title: 'Spring',
  destination_url: 'https://acme.com/spring?ref=bench',
};
const body = JSON.stringify({ data: Array<typeof link>(9).fill(link), meta: { current_page: 1, total: 9 } });
const HEADERS = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
const server = createServer((_request, response) => response.writeHead(200, HEADERS).end(body));
server.keepAliveTimeout = 65_000;
server.listen(port, '127.0.0.1', () => process.send?.('started'));
process.on('disconnect', () => process.exit());
