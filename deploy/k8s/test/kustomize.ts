import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureDebianRoot, whyNoDebianRoot, type DebianRoot, type Progress } from '@waymark/stack/debian-root';

const run = promisify(execFile);

const KUSTOMIZE: DebianRoot = { name: 'kustomize-1', variant: 'extract', packages: ['kustomize'] };
const TIMEOUT_MS = 60_000;

/**
 * A command that turns a folder into objects: kustomize or kubectl where this machine has one, else Debian's kustomize
 * from a private root. Components need kustomize 4 or newer.
 */
export async function findKustomize(progress: Progress): Promise<string[]> {
  if (await answers('kustomize', 'version')) return ['kustomize', 'build'];
  if (await answers('kubectl', 'kustomize', '--help')) return ['kubectl', 'kustomize'];
  const noRoot = whyNoDebianRoot();
  if (noRoot)
    throw new Error(`No kustomize: install kustomize or kubectl, or run as root on Debian or Ubuntu (${noRoot}).`);
  return [join(await ensureDebianRoot(KUSTOMIZE, progress), 'usr/bin/kustomize'), 'build'];
}

/** The YAML of all objects in `folder`. */
export async function buildKustomization(folder: string, progress: Progress): Promise<string> {
  const [command = '', ...args] = await findKustomize(progress);
  const { stdout } = await run(command, [...args, folder], { timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

const answers = (command: string, ...args: string[]): Promise<boolean> =>
  run(command, args, { timeout: TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
