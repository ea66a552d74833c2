import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';

/** Creates a small project with these files, and with copies of files of this project, for a linter to check. */
export function plantProject(files: Record<string, string>, copies: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-planted-'));
  const pathOf = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  for (const path of copies) copyFileSync(join(ROOT, path), pathOf(path));
  for (const [path, text] of Object.entries(files)) writeFileSync(pathOf(path), text);
  return folder;
}
