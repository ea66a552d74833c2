import { createServer } from 'node:http';

/** The least that can answer the same 302, on the port and with the destination that it is given. */
const [port, location = ''] = process.argv.slice(2);
const HEADERS = [
  'Location',
  location,
  'Cache-Control',
  'private, no-store',
  'Referrer-Policy',
  'no-referrer-when-downgrade',
  'X-Robots-Tag',
  'noindex',
  'Content-Length',
  '0',
];
const server = createServer((_request, response) => {
  response.writeHead(302, HEADERS);
  response.end();
});
server.listen(Number(port), '127.0.0.1', () => process.send?.('started'));
process.on('disconnect', () => process.exit());
