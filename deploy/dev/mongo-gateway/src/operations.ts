import { deserialize, type Document } from 'bson';
import { BsonFields } from './bson-fields.js';
import { specOf, type Command } from './command.js';

const LISTS: Record<string, string> = { insert: 'documents', update: 'updates', delete: 'deletes' };

/** The single writes of a write command, from its document sequence or from the array in its body. */
export function operationsOf(command: Command): Buffer[] {
  const list = LISTS[command.name];
  if (!list) return [];
  const sequence = command.sequences.get(list);
  return sequence ? splitSequence(sequence) : splitArray(command.fields.raw(list));
}

export function isUpsert(command: Command): boolean {
  if (command.name.toLowerCase() === 'findandmodify') return command.fields.boolean('upsert') === true;
  if (command.name !== 'update') return false;
  return operationsOf(command).some(isUpsertOperation);
}

export function isUpsertOperation(operation: Buffer): boolean {
  return new BsonFields(operation).boolean('upsert') === true;
}

/** Returns the filter and the values of the write with this index, which contain a duplicate key. */
export function writtenDocuments(command: Command, index: number): { filter?: Document; written: Document[] } {
  if (command.name.toLowerCase() === 'findandmodify') {
    const { query, update } = deserialize(specOf(command));
    return { filter: query as Document, written: assigned(update as Document | undefined) };
  }
  const operation = operationsOf(command)[index];
  if (!operation) return { written: [] };
  const document = deserialize(operation);
  if (command.name === 'insert') return { written: [document] };
  return { filter: document.q as Document, written: assigned(document.u as Document | undefined) };
}

function assigned(update: Document | undefined): Document[] {
  if (!update) return [];
  return [update.$set, update.$setOnInsert, update].filter(Boolean) as Document[];
}

function splitSequence(sequence: Buffer): Buffer[] {
  const documents: Buffer[] = [];
  for (let offset = 0; offset < sequence.length;) {
    const length = sequence.readInt32LE(offset);
    documents.push(sequence.subarray(offset, offset + length));
    offset += length;
  }
  return documents;
}

function splitArray(array: Buffer | undefined): Buffer[] {
  if (!array) return [];
  const fields = new BsonFields(array);
  return fields.names.map((name) => fields.raw(name)!);
}
