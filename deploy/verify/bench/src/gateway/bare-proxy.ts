import { Agent } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';

/** The least that Express and http-proxy-middleware can do: it forwards everything to the target, and keeps connections. */
const [port, target] = process.argv.slice(2);
const app = express();
app.disable('x-powered-by').disable('etag');
app.use(createProxyMiddleware({ target: target!, agent: new Agent({ keepAlive: true, maxSockets: 256 }) }));
app.listen(Number(port), '127.0.0.1', () => process.send?.('started'));
process.on('disconnect', () => process.exit());
