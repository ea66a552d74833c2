import { signal } from '@preact/signals';

/** Loaded with the first name that needs it. */
const readableLabel = signal<((label: string) => string) | undefined>(undefined);
let isRequested = false;

/** A host name as its owner writes it; one of several scripts, which may imitate another name, stays in ASCII. */
export function readableHost(host: string): string {
  if (!host.includes('xn--')) return host;
  if (readableLabel.value) return host.split('.').map(readableLabel.value).join('.');
  if (!isRequested) {
    isRequested = true;
    import('./readable-label.js').then(
      (module) => void (readableLabel.value = module.readableLabel),
      () => void (isRequested = false),
    );
  }
  return host;
}
