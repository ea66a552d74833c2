import { z } from 'zod';
import { unwrapped } from './schema.js';

interface Pending {
  schema: z.ZodType | undefined;
  value: unknown;
  path: string;
}

/**
 * Returns the fields with half a surrogate pair, which cannot be stored: a later read would differ from what the client
 * sent. Only fields of the schema are checked; values that are `unknown` to it are checked later, with their own
 * schema.
 */
export function illFormedFields(schema: z.ZodType | undefined, body: unknown): string[] {
  const fields = new Set<string>();
  const pending: Pending[] = [{ schema, value: body, path: '' }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path } = next;
    const schemaOfValue = unwrapped(next.schema);
    if (schemaOfValue instanceof z.ZodUnknown) continue;
    if (typeof value === 'string') {
      if (!value.isWellFormed()) fields.add(path);
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of innerOf({ schema: schemaOfValue, value, path })) pending.push(inner);
    }
  }
  return [...fields];
}

function innerOf({ schema, value, path }: Pending & { value: object }): Pending[] {
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  if (schema instanceof z.ZodObject) {
    const { shape } = schema as z.ZodObject<Record<string, z.ZodType>>;
    const names = Object.keys(shape).filter((name) => Object.hasOwn(value, name));
    return names.map((name) => ({ schema: shape[name], value: value[name as never], path: pathOf(name) }));
  }
  const inner = Object.entries(value);
  if (schema instanceof z.ZodArray)
    return inner.map(([index, item]) => ({
      schema: schema.element as z.ZodType,
      value: item as unknown,
      path: pathOf(index),
    }));
  // Any JSON: the field as a whole is named, however deep within it the text is.
  return inner.map(([, item]) => ({ schema: undefined, value: item as unknown, path }));
}
