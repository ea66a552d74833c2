import * as fc from 'fast-check';
import { resolve } from './reference.js';

export interface FuzzedRequest {
  query: Partial<Record<string, string>>;
  body?: unknown;
  /** Selects a known id, or an unknown one, for each id parameter. */
  ids: number[];
}

type Schema = any;

/** Values that a careless or malicious client may send. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, 0, -1, 1.5, 1e308, '', ' ', '\0', '\ud800', '\u202e', 'é', '💥', 'a'.repeat(5000), '__proto__'],
    ...['{"$gt":""}', '../..', "' or 1=1", '1;2', 'javascript:alert(1)', '=1+1', '1e3', '0x10', 'NaN', '2026-02-30'],
    ...[[], {}, [[]], { $ne: null }, { $gt: '' }, { constructor: { prototype: {} } }, [null], { length: 1e9 }],
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Requests to one operation, mixed field by field from its schemas, its example, and values outside the schemas. */
export class Requests {
  constructor(private readonly document: any) {}

  to(operation: any): fc.Arbitrary<FuzzedRequest> {
    const media = operation.requestBody?.content?.['application/json'];
    const body = media ? this.bodyOf(media) : fc.constant(undefined);
    const parameters = (operation.parameters ?? []).map((each: unknown) => resolve(this.document, each));
    const query = Object.fromEntries(
      parameters.filter((each: any) => each.in === 'query').map((each: any) => [each.name, this.textOf(each.schema)]),
    ) as Record<string, fc.Arbitrary<string>>;
    return fc.record({
      query: fc.record(query, { requiredKeys: [] }),
      body,
      ids: fc.array(fc.nat({ max: 1000 }), { minLength: 3, maxLength: 3 }),
    });
  }

  private bodyOf(media: any): fc.Arbitrary<unknown> {
    const examples = Object.values<any>(media.examples ?? {}).map((each) => resolve(this.document, each).value);
    const example = media.example ?? examples[0] ?? {};
    return fc.oneof(
      { weight: 12, arbitrary: this.valueOf(media.schema, example) },
      { weight: 1, arbitrary: odd },
      { weight: 1, arbitrary: fc.constant(example) },
    );
  }

  private valueOf(given: Schema, example?: any): fc.Arbitrary<unknown> {
    const schema = resolve(this.document, given) ?? {};
    const parts = schema.anyOf ?? schema.oneOf;
    if (parts) return fc.oneof(...parts.map((part: Schema) => this.valueOf(part, example)));
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.const !== undefined) return fc.constant(schema.const);
    switch (schema.type) {
      case 'object':
        return this.objectOf(schema, example);
      case 'array':
        return fc.array(this.valueOf(schema.items ?? {}), { maxLength: 4 });
      case 'integer':
        return fc.integer({ min: schema.minimum ?? -10, max: Math.min(schema.maximum ?? 1000, 1000) });
      case 'number':
        return fc.double({ noNaN: true, min: -1000, max: 1000 });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      default:
        return fc.oneof(fc.string({ maxLength: 20 }), fc.constant(example ?? 'text'));
    }
  }

  private objectOf(schema: Schema, example: any = {}): fc.Arbitrary<unknown> {
    const fields = Object.entries<Schema>(schema.properties ?? {}).map(([name, field]) => {
      const options = [
        ...(example?.[name] === undefined ? [] : [{ weight: 5, arbitrary: fc.constant(example[name] as unknown) }]),
        { weight: 3, arbitrary: this.valueOf(field, example?.[name]) },
        { weight: 1, arbitrary: odd },
      ];
      return [name, fc.oneof(...options)] as const;
    });
    return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  }

  private textOf(schema: Schema): fc.Arbitrary<string> {
    const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    return fc.oneof({ weight: 3, arbitrary: this.valueOf(schema) }, { weight: 1, arbitrary: odd }).map(asText);
  }
}
