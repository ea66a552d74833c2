import type { Deployment } from '@waymark/contract/deployments';
import { openApiDocument } from './document.js';

const LINE_MAX = 120;

/** Returns the content of `docs/api/<deployment>.openapi.json`: its differences are those of the API. */
export const documentFile = (deployment: Deployment): string =>
  `${print(JSON.parse(JSON.stringify(openApiDocument(deployment))), '')}\n`;

/** Sorts the keys, and writes what fits on one line on one line. */
function print(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  const printed = Array.isArray(value)
    ? value.map((item) => print(item, inner))
    : isObject(value)
      ? Object.keys(value)
          .sort()
          .map((key) => `${JSON.stringify(key)}: ${print(value[key], inner)}`)
      : undefined;
  if (!printed) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const line = `${open}${printed.join(', ')}${close}`;
  if (indent.length + line.length <= LINE_MAX && !line.includes('\n')) return line;
  return `${open}\n${inner}${printed.join(`,\n${inner}`)}\n${indent}${close}`;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
