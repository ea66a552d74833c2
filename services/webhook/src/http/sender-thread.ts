import { parentPort, workerData } from 'node:worker_threads';
import { createHttpClient, type HttpClientOptions } from './http-client.js';
import { postMessage } from './post-message.js';
import { batchByTurn, type SendRequest, type SendResult } from './sender-messages.js';

const port = parentPort!;
const client = createHttpClient(workerData as HttpClientOptions);
const addResult = batchByTurn((results: SendResult[]) => port.postMessage(results));

port.on('message', (requests: SendRequest[]) => {
  for (const [id, message] of requests) void postMessage(client, message).then((outcome) => addResult([id, outcome]));
});
