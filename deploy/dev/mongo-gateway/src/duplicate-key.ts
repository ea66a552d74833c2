import { deserialize, type Document } from 'bson';
import { collectionOf, type Command } from './command.js';
import { writtenDocuments } from './operations.js';
import type { Result, Statement } from './postgres-connection.js';
import { INDEX_OF_COLLECTION } from './statements.js';

/** A pool or one of its connections. */
export interface Database {
  query(statement: Statement, values: (Buffer | null)[]): Promise<Result>;
}

export interface DuplicateKey {
  errmsg: string;
  keyPattern?: Document;
  keyValue?: Document;
  /** True for an upsert whose filter is just the key: it lost a race rather than conflict with an existing document. */
  lostRace: boolean;
}

/** Converts DocumentDB's duplicate key error, which has the index's name or PostgreSQL's name, to that of MongoDB. */
export async function explainDuplicateKey(
  database: Database,
  command: Command,
  { index, message }: { index: number; message: string },
): Promise<DuplicateKey> {
  const keyPattern = await findKeyPattern(database, command, message);
  if (!keyPattern) return { errmsg: `E11000 duplicate key error: ${message}`, lostRace: false };
  const { filter, written } = writtenDocuments(command, index);
  const keyValue = pickKey(keyPattern.key, filter ? [...written, filter] : written);
  const where = `${command.database}.${collectionOf(command)} index: ${keyPattern.name}`;
  return {
    errmsg: `E11000 duplicate key error collection: ${where} dup key: ${JSON.stringify(keyValue ?? keyPattern.key)}`,
    keyPattern: keyPattern.key,
    keyValue,
    lostRace: filter !== undefined && asksForKey(filter, keyPattern.key),
  };
}

async function findKeyPattern(database: Database, command: Command, message: string) {
  const number = Buffer.alloc(4);
  number.writeInt32BE(Number(/_index_(\d+)"/.exec(message)?.[1] ?? 0));
  const name = /Index '(.+)'/.exec(message)?.[1] ?? (/collection_pk_/.test(message) ? '_id_' : '');
  const values = [command.database, collectionOf(command), name].map((text) => Buffer.from(text));
  const { rows } = await database.query(INDEX_OF_COLLECTION, [...values, number]);
  const [indexName, key] = rows[0] ?? [];
  return indexName && key ? { name: indexName.toString(), key: deserialize(key) } : undefined;
}

function pickKey(keyPattern: Document, candidates: Document[]): Document | undefined {
  const entries = Object.keys(keyPattern).map((path) => [path, pickValue(path, candidates)] as const);
  return entries.every(([, value]) => value !== undefined) ? Object.fromEntries(entries) : undefined;
}

function pickValue(path: string, candidates: Document[]): unknown {
  for (const candidate of candidates) {
    const value: unknown = candidate[path] ?? path.split('.').reduce<unknown>(step, candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

function step(value: unknown, name: string): unknown {
  return (value as Document | null | undefined)?.[name];
}

function asksForKey(filter: Document, keyPattern: Document): boolean {
  const fields = Object.keys(filter);
  return fields.length === Object.keys(keyPattern).length && fields.every((field) => field in keyPattern);
}
