import type { Reader, Schema } from './document.js';

/** One line of a tree of fields. */
export interface Field {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
  /** Bounds and the default, in words. */
  facts: string[];
  values: string[];
  fields: () => Field[];
}

const MAX_PATTERN = 60;

/** Returns the fields of an object, of the objects in a list, or of those in a map. */
export function fieldsOf(reader: Reader, schema: Schema): Field[] {
  const found = withoutNull(reader, schema).schema;
  const inner = found.items
    ? fieldsOf(reader, found.items)
    : (found.anyOf ?? []).flatMap((each) => fieldsOf(reader, each));
  const own = Object.entries(found.properties ?? {}).map(([name, each]) =>
    fieldOf(reader, { name, schema: each, isRequired: found.required?.includes(name) ?? false }),
  );
  if (own.length > 0) return own;
  const value = valueOf(found);
  // The line of the names stands between the map and the fields of its values.
  const entry = value && fieldOf(reader, { name: '{name}', schema: value, isRequired: false });
  return entry && entry.fields().length > 0 ? [entry] : inner;
}

/** The schema of the values of a map, whose names are free. */
const valueOf = ({ additionalProperties: values }: Schema): Schema | undefined =>
  values === true ? {} : values || undefined;

export function fieldOf(
  reader: Reader,
  { name, schema, isRequired }: { name: string; schema: Schema; isRequired: boolean },
): Field {
  const { schema: found, isNullable } = withoutNull(reader, schema);
  const values = (found.enum ?? found.items?.enum ?? []).map((value) => String(value));
  return {
    name,
    type: typeOf(reader, found) + (isNullable ? ' or null' : ''),
    isRequired,
    description: schema.description ?? found.description ?? '',
    facts: factsOf({ ...found, default: schema.default ?? found.default }),
    values,
    fields: () => fieldsOf(reader, found),
  };
}

/** The schema of what is not `null`, with its references followed. */
function withoutNull(reader: Reader, schema: Schema): { schema: Schema; isNullable: boolean } {
  const found = reader.resolve(schema);
  const types = [found.type ?? []].flat();
  const variants = found.anyOf?.filter((each) => each.type !== 'null');
  const isNullable = types.includes('null') || variants?.length !== found.anyOf?.length;
  if (variants?.length === 1) return { schema: reader.resolve(variants[0]!), isNullable };
  const type = types.filter((each) => each !== 'null');
  return { schema: { ...found, anyOf: variants, type: type.length > 1 ? type : type[0] }, isNullable };
}

function typeOf(reader: Reader, schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(reader, reader.resolve(schema.items)) : 'any'}`;
  if (schema.anyOf) return [...new Set(schema.anyOf.map((each) => typeOf(reader, reader.resolve(each))))].join(' or ');
  const value = schema.properties === undefined ? valueOf(schema) : undefined;
  if (value) return isAny(value) ? 'object with any fields' : `map of ${typeOf(reader, reader.resolve(value))}`;
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format ? `${type} (${schema.format})` : type;
}

const isAny = (schema: Schema): boolean => Object.keys(schema).length === 0;

function factsOf(schema: Schema): string[] {
  const isText = schema.pattern !== undefined && schema.format === undefined && schema.pattern.length <= MAX_PATTERN;
  return [
    rangeOf([schema.minLength, schema.maxLength], 'characters'),
    rangeOf([schema.minItems, schema.maxItems], 'entries'),
    rangeOf([bound(schema.minimum), bound(schema.maximum)], ''),
    isText ? `pattern ${schema.pattern}` : '',
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter((fact) => fact !== '');
}

/** The bounds of integers as such tell a reader nothing. */
const bound = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;

function rangeOf([min, max]: [number | undefined, number | undefined], unit: string): string {
  const number = (value: number) => value.toLocaleString('en');
  const text =
    min === undefined
      ? max === undefined
        ? ''
        : `at most ${number(max)}`
      : max === undefined
        ? `at least ${number(min)}`
        : `${number(min)} to ${number(max)}`;
  return text && unit ? `${text} ${unit}` : text;
}
