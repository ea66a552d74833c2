import { BsonFields } from './bson-fields.js';
import type { Frame } from './frames.js';

export interface TransactionFields {
  session: string;
  number: bigint;
  starts: boolean;
}

/** One request: its fields are read in place, its payload stays bytes. */
export interface Command {
  name: string;
  database: string;
  fields: BsonFields;
  sequences: Map<string, Buffer>;
  transaction?: TransactionFields;
}

/** Fields of the wire's envelope, which DocumentDB does not know. */
const ENVELOPE: ReadonlySet<string> = new Set([
  'lsid',
  '$db',
  '$clusterTime',
  'txnNumber',
  'autocommit',
  'startTransaction',
  '$readPreference',
  'readConcern',
  'writeConcern',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
]);

export function readCommand(frame: Frame): Command {
  const fields = new BsonFields(frame.body);
  return {
    name: fields.first?.name ?? '',
    database: fields.string('$db') ?? 'admin',
    fields,
    sequences: frame.sequences,
    transaction: readTransaction(fields),
  };
}

function readTransaction(fields: BsonFields): TransactionFields | undefined {
  // A txnNumber alone marks a retryable write; those are not deduplicated here (the URI says retryWrites=false).
  if (fields.boolean('autocommit') !== false) return undefined;
  const session = fields.raw('lsid');
  const number = fields.bigint('txnNumber');
  if (!session || number === undefined) return undefined;
  return { session: sessionKey(session), number, starts: fields.boolean('startTransaction') === true };
}

export function sessionKey(lsid: Buffer): string {
  return new BsonFields(lsid).raw('id')?.toString('hex') ?? '';
}

/** The command for DocumentDB, without its envelope. */
export function specOf(command: Command): Buffer {
  return command.fields.without(ENVELOPE);
}

/** The collection that the command names in its first field; empty for commands on a database. */
export function collectionOf(command: Command): string {
  return command.fields.string(command.name) ?? '';
}
