import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';

export interface Page {
  /** From the root of the project. */
  path: string;
  text: string;
}

export interface Block {
  language: string;
  text: string;
}

/** Every page that a reader of the project may open. */
export function allPages(): Page[] {
  const folders = ['docs', 'deploy', 'services', 'gateway', 'shared'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(ROOT, folder, path)),
  );
  const ofTheRoot = readdirSync(ROOT).map((name) => join(ROOT, name));
  return [...ofTheRoot, ...folders]
    .filter((path) => path.endsWith('.md') && !/\/(node_modules|dist)\//.test(path))
    .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') }));
}

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

/** The fenced blocks of a page, in their order, also those within lists. */
export function blocksOf({ text }: Page): Block[] {
  return [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', language = '', body = '']) => ({
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}
