import { existsSync } from 'node:fs';
import { loadOrCreateSecrets } from '@waymark/launcher/secrets';

/**
 * Creates the keys of a new installation. Data is signed and sealed with the keys of its own installation: with others the
 * audit log could not go on.
 * @throws Error with one line if there is data, but no keys
 */
export async function prepareKeys(file: string, hasData: () => Promise<boolean>): Promise<void> {
  if (existsSync(file)) return;
  if (await hasData())
    throw new Error(
      `the databases of an earlier installation in this folder are still there, but its keys (${file}) are gone; ` +
        'remove its data with npm run local:reset',
    );
  loadOrCreateSecrets(file);
}
