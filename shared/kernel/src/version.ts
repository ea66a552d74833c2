import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The release, which all packages share. */
export const { version: VERSION } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as {
  version: string;
};
