import { mongo } from 'mongoose';
import type Argon2 from '@node-rs/argon2';
import { currentContext } from '@waymark/kernel/process/request-context';

type Methods = Record<string, (...args: unknown[]) => unknown>;

const OPERATIONS = [
  'aggregate',
  'bulkWrite',
  'countDocuments',
  'deleteMany',
  'deleteOne',
  'distinct',
  'estimatedDocumentCount',
  'find',
  'findOne',
  'findOneAndDelete',
  'findOneAndUpdate',
  'insertMany',
  'insertOne',
  'replaceOne',
  'updateMany',
  'updateOne',
];
const HASHES = ['hash', 'verify'];
const ROUNDS = 7;

/**
 * Sends a request several times, and returns its usual steps: the database operations and the password hashes. Requests with the
 * same steps take the same time, however busy the machine is.
 * @param send takes the headers of the request
 */
export async function usualSteps(
  send: (headers: Record<string, string>, round: number) => Promise<unknown>,
): Promise<string[]> {
  const counts = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = JSON.stringify(await stepsOf((headers) => send(headers, round)));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  // The first request fills caches, and a transaction may be retried: these are not the usual steps.
  const [[usual, count]] = [...counts].sort(([, a], [, b]) => b - a) as [[string, number]];
  expect(count).toBeGreaterThan(ROUNDS / 2);
  return JSON.parse(usual) as string[];
}

let requests = 0;

async function stepsOf(send: (headers: Record<string, string>) => Promise<unknown>): Promise<string[]> {
  const requestId = `steps-${(requests += 1)}`;
  const steps: string[] = [];
  const note = (step: string) => {
    // Workers in the background belong to no request.
    if (currentContext()?.requestId === requestId) steps.push(step);
  };
  const argon2 = jest.requireActual<typeof Argon2>('@node-rs/argon2') as unknown as Methods;
  const undo = [
    wrapMethods(mongo.Collection.prototype as unknown as Methods, OPERATIONS, (method, collection) =>
      note(`${(collection as mongo.Collection).collectionName}.${method}`),
    ),
    wrapMethods(argon2, HASHES, (method) => note(`argon2.${method}`)),
  ];
  try {
    await send({ 'x-request-id': requestId });
  } finally {
    for (const restore of undo) restore();
  }
  return steps;
}

/** Calls `note` before each call of these methods, which otherwise work as before. @returns a function that undoes this */
function wrapMethods(target: Methods, names: string[], note: (name: string, receiver: unknown) => void): () => void {
  const originals = names.map((name) => [name, target[name]!] as const);
  for (const [name, original] of originals) {
    target[name] = function (this: unknown, ...args: unknown[]) {
      note(name, this);
      return original.apply(this, args);
    };
  }
  return () => originals.forEach(([name, original]) => (target[name] = original));
}
