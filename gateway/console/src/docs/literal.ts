const LINE_MAX = 60;

/** `{ id }` says `{ id: id }` in TypeScript; constants of Python have another case. */
const isShort = (name: string, value: unknown): boolean => value instanceof Name && value.name === name;

export interface Notation {
  indent: string;
  words: Record<string, string>;
  text: (value: string) => string;
  key: (name: string) => string;
}

const singleQuoted = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

export const TYPESCRIPT: Notation = {
  indent: '  ',
  words: { null: 'null', true: 'true', false: 'false' },
  text: singleQuoted,
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : singleQuoted(name)),
};
export const PYTHON: Notation = {
  indent: '    ',
  words: { null: 'None', true: 'True', false: 'False' },
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
};

/** A constant of the program, in place of a value. */
export class Name {
  constructor(readonly name: string) {}
}

/** Writes a JSON value as a literal of the language; what is short stays on one line. */
export function literal(value: unknown, notation: Notation, depth = 0): string {
  if (typeof value === 'string') return notation.text(value);
  if (value instanceof Name) return value.name;
  if (typeof value !== 'object' || value === null) return notation.words[String(value)] ?? String(value);
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(
    ([name, each]) =>
      `${isList || isShort(name, each) ? '' : `${notation.key(name)}: `}${literal(each, notation, depth + 1)}`,
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return `${open}${close}`;
  const space = isList ? '' : ' ';
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (line.length <= LINE_MAX && !line.includes('\n')) return line;
  const [inner, outer] = [depth + 1, depth].map((count) => `\n${notation.indent.repeat(count)}`);
  return `${open}${inner}${parts.join(`,${inner}`)},${outer}${close}`;
}
