import { addressWithoutToken } from '../../app/link-token.js';
import { BASE, query, segments } from '../../app/router.js';

/** Whether the address is that of the sign-in page, and not of the requested page. */
export const isOwnAddress = (): boolean => segments.value[0] === 'sign-in';

/** The address to open after signing in, without the token of a one-time link; one that does not lead to a page of the console counts as none. */
export function pageAskedFor(): string {
  if (!isOwnAddress()) return addressWithoutToken() ?? location.pathname + location.search + location.hash;
  const asked = query.value.get('return_to') ?? BASE;
  const url = URL.canParse(asked, location.origin) ? new URL(asked, location.origin) : null;
  const isPage = url?.origin === location.origin && `${url.pathname}/`.startsWith(`${BASE}/`);
  return isPage && !`${url.pathname}/`.startsWith(`${BASE}/sign-in/`) ? url.pathname + url.search + url.hash : BASE;
}
