import type { ApiDocument, Operation, Reader, Schema } from './document.js';

const ULID = '01KG9R2J5C7D8E9F0G1H2J3K4M';
const TIME = '2026-01-31T12:00:00.000Z';
const FORMATS: Record<string, string> = { 'date-time': TIME, date: TIME.slice(0, 10), uri: 'https://example.com/' };

/** Where a schema stands: the name of its field, and of the field around it. */
interface Place {
  name: string;
  parent: string;
}

/** Makes examples of schemas; the examples that the document has say how the values of a field look. */
export class ExampleMaker {
  /** The type of the event: of `link.archived`, the status is `archived`. */
  private type = '';
  private readonly known = new Map<string, unknown>();

  constructor(
    private readonly reader: Reader,
    document: ApiDocument,
  ) {
    this.learn(document.paths, { name: '', parent: '' }, false);
  }

  eventOf(type: string, schema: Schema): unknown {
    this.type = type;
    return this.exampleOf(schema);
  }

  private exampleOf(schema: Schema, place: Place = { name: '', parent: '' }): unknown {
    const found = { ...this.reader.resolve(schema), ...(schema.description && { description: schema.description }) };
    const given = [found.const, found.example, found.examples?.[0], found.default].find((each) => each !== undefined);
    if (given !== undefined) return given;
    const variants = found.anyOf?.filter(({ type }) => type !== 'null') ?? [];
    if (variants.length < (found.anyOf?.length ?? 0) && this.knownOf(place) === null) return null;
    if (variants[0])
      return this.exampleOf({ description: found.description, ...this.reader.resolve(variants[0]) }, place);
    const type = [found.type].flat()[0];
    if (type === 'object') return this.objectOf(found, place);
    if (type === 'array') return found.items ? [this.exampleOf(found.items, place)] : [];
    return this.scalarOf({ ...found, type }, place);
  }

  private objectOf({ properties = {}, additionalProperties: values }: Schema, { name: parent }: Place): object {
    const fields = Object.entries(properties).map(([name, each]) => [name, this.exampleOf(each, { name, parent })]);
    const isMap = typeof values === 'object' && Object.keys(values).length > 0;
    return Object.fromEntries(isMap ? [...fields, ['title', this.exampleOf(values)]] : fields) as object;
  }

  private scalarOf(schema: Schema, place: Place): unknown {
    const { type, format = '', enum: values, description = '', minimum = 1 } = schema;
    const known = this.knownOf(place);
    if (values)
      return values.find((each) => this.type.includes(String(each))) ?? (values.includes(known) ? known : values[0]);
    if (type === undefined) return place.name === 'from' ? 'Winter sale' : 'Spring sale';
    if (type === 'boolean') return typeof known === 'boolean' ? known : false;
    if (type !== 'string') return typeof known === 'number' ? known : minimum;
    const prefix = /`([a-z]+_)…?`/.exec(description)?.[1];
    return FORMATS[format] ?? (prefix ? prefix + ULID : typeof known === 'string' ? known : 'text');
  }

  private knownOf({ name, parent }: Place): unknown {
    const keys = [`${parent}.${name}`, `${parent}_${name}`, name];
    return this.known.get(keys.find((key) => this.known.has(key)) ?? name);
  }

  /** Collects the values of the named fields in all examples; the first one of each name stays. */
  private learn(value: unknown, { name, parent }: Place, isExample: boolean): void {
    if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) {
        const place = Array.isArray(value) ? { name, parent } : { name: key, parent: name };
        this.learn(each, place, isExample || key === 'example');
      }
    } else if (isExample) {
      for (const key of [`${parent}.${name}`, name]) if (!this.known.has(key)) this.known.set(key, value);
    }
  }
}

/** Returns a request that an endpoint receives for an event: its headers and its body. */
export function eventRequest(maker: ExampleMaker, { path: type, body, parameters }: Operation): string {
  const event = maker.eventOf(type, body!.schema) as { id: string; created_at: string };
  const values: Record<string, string> = {
    'webhook-id': event.id,
    'webhook-timestamp': String(Date.parse(event.created_at) / 1000),
    'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  };
  const headers = parameters
    .filter(({ in: place }) => place === 'header')
    .map(({ name }) => `${name}: ${values[name] ?? '…'}`);
  return [`content-type: ${body!.type}`, ...headers, '', JSON.stringify(event, undefined, 2)].join('\n');
}
