import { z } from 'zod';

/** The schema of the value itself: without the wrappers that let it be absent or `null`, and before it is transformed. */
export function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  let inner = schema;
  for (;;) {
    if (inner instanceof z.ZodPipe)
      inner = (inner.in instanceof z.ZodTransform ? inner.out : inner.in) as z.ZodType; // `out`: see z.preprocess
    else if (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault) {
      inner = inner.unwrap() as z.ZodType;
    } else return inner;
  }
}

/** The fields of an object by name; `undefined` for any other schema, and for one that takes fields of any name. */
export function shapeOf(schema: z.ZodType | undefined): Record<string, z.ZodType> | undefined {
  const object = unwrapped(schema);
  if (!(object instanceof z.ZodObject) || isLoose(object)) return undefined;
  return object.shape;
}

const isLoose = ({ def: { catchall } }: z.ZodObject): boolean =>
  catchall !== undefined && !((catchall as z.ZodType) instanceof z.ZodNever);
