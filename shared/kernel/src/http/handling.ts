import type { Request, Response } from 'express';
import { isVersioned } from '@waymark/contract/route';

export const PREFER_HEADER = 'Prefer';
export const PREFERENCE_APPLIED_HEADER = 'Preference-Applied';

type Preference = 'strict' | 'lenient';

/** How a request wants the names to be handled that its operation does not know (RFC 7240, 4.4). */
export interface Handling {
  /** Unknown names are refused; otherwise they are ignored. */
  isStrict: boolean;
  /** The client's preference from `Prefer`. */
  preference?: Preference;
}

/** Without a preference the versioned API is strict, and the unversioned one as lenient as it has always been. */
export function readHandling(request: Request): Handling {
  const preference = preferenceIn(request.get(PREFER_HEADER) ?? '');
  return preference ? { isStrict: preference === 'strict', preference } : { isStrict: isVersioned(request.path) };
}

/** Confirms to the client that its preference was applied. */
export function confirmHandling(response: Response, { preference }: Handling): void {
  if (preference) response.setHeader(PREFERENCE_APPLIED_HEADER, `handling=${preference}`);
}

const HANDLING = /^\s*handling\s*=\s*"?(strict|lenient)"?\s*(?:;|$)/i;

/** The first one counts where a preference is repeated (RFC 7240, 2). */
function preferenceIn(header: string): Preference | undefined {
  for (const preference of header.split(',')) {
    const [, value] = HANDLING.exec(preference) ?? [];
    if (value) return value.toLowerCase() as Preference;
  }
  return undefined;
}
