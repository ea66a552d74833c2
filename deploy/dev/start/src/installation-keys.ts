import { existsSync } from 'node:fs';
import { loadOrCreateSecrets } from '@waymark/launcher/secrets';

/**
 * Creates the keys of a new installation. Data is signed and sealed with the keys of its own installation: with others the
 * audit log does not go on, and stored webhook secrets cannot be read.
 * @returns what to tell if there is data of other keys
 */
export async function prepareKeys(file: string, hasData: () => Promise<boolean>): Promise<string | undefined> {
  if (existsSync(file)) return undefined;
  const isOfOthers = await hasData();
  loadOrCreateSecrets(file);
  if (!isOfOthers) return undefined;
  return (
    'the databases are those of an earlier installation in this folder, whose keys are gone: its audit log does not go ' +
    'on, and its webhooks are not sent; npm run local:reset removes its data'
  );
}
