import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** The first one has no windows, menus or extensions, which take most of the others' processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
const SILENCE = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
/** A name that is not loopback, on this machine. */
export const PLAIN_HTTP_HOST = 'console.test';

/** The browser that `CHROMIUM` names, else the first one on the PATH. */
export function findBrowser(): string | undefined {
  if (process.env['CHROMIUM']) return process.env['CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export const launchBrowser = (env: Record<string, string> = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: findBrowser() ?? NAMES[0]!,
    args: [...FLAGS, ...SILENCE, `--host-resolver-rules=MAP ${PLAIN_HTTP_HOST} 127.0.0.1`],
    env: { ...(process.env as Record<string, string>), ...env },
  });
