import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Lines of `apt-config dump` on how packages are fetched: proxies, certificates, time-outs. */
const TRANSPORT_OPTION = /^Acquire::(http|https|ftp|Retries|ForceIPv4|ForceIPv6)\b.* "[^"]+";$/i;

/**
 * Returns the Debian mirror of this machine, as reported by apt, which reads both of its source formats.
 * Undefined on a machine whose own distribution is not Debian: mmdebstrap then knows Debian's own.
 */
export async function debianMirror(): Promise<string | undefined> {
  if (!/^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))) return undefined;
  const format = '$(REPO_URI) $(CODENAME) $(RELEASE) $(COMPONENT)';
  const { stdout } = await run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  return chooseMirror(stdout);
}

/** The first full archive among apt's index targets: not the security one, which holds no other suites. */
export function chooseMirror(indexTargets: string): string | undefined {
  for (const line of indexTargets.split('\n')) {
    const [uri, , release, component] = line.split(' ');
    if (component === 'main' && release && !release.includes('security')) return uri;
  }
  return undefined;
}

export async function aptTransportOptions(): Promise<string[]> {
  const { stdout } = await run('apt-config', ['dump']);
  return stdout.split('\n').filter((line) => TRANSPORT_OPTION.test(line));
}
