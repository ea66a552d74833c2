import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDE = readFileSync(join(__dirname, '../../../docs/webhooks.md'), 'utf8');

export const guideText = GUIDE;

/** The code blocks of the receivers' guide in one language, in their order. */
export function blocksOf(language: string): string[] {
  return [...GUIDE.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code!);
}

/** Returns the guide's example of an event. */
export function exampleOf(type: string, deployment: 'links' | 'qr'): any {
  const examples = blocksOf('json').map((text) => JSON.parse(text));
  const isQr = (example: any) => 'qr_code' in example.data;
  return examples.find((example) => example.type === type && isQr(example) === (deployment === 'qr'));
}

/** The names and kinds of a value's fields, without the values. */
export function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}
