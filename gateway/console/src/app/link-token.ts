import { BASE, fragment, segments } from './router.js';

const KEY = 'waymark.link-token';
/** The page whose link can be used after single sign-on. */
const INVITATIONS = 'invitations';

/** The token of a one-time link: behind `#`, or the last segment of the path in a link of the older form. */
const tokenInAddress = (): string | undefined => fragment.value || segments.value[1];

/** Returns the token of the link in the address, or the one that was kept for the page of invitations. */
export function linkToken(): string | undefined {
  const kept = segments.value[0] === INVITATIONS ? sessionStorage.getItem(KEY) : null;
  return tokenInAddress() ?? kept ?? undefined;
}

/** Returns the address of the page without the token, or `undefined` on pages whose address has none. */
export const addressWithoutToken = (): string | undefined =>
  segments.value[0] === INVITATIONS ? `${BASE}/${INVITATIONS}` : undefined;

/** Keeps the token in this tab during single sign-on, whose addresses reach servers and their logs. */
export function keepLinkToken(): void {
  const token = tokenInAddress();
  if (addressWithoutToken() !== undefined && token !== undefined) sessionStorage.setItem(KEY, token);
}

export const forgetLinkToken = (): void => sessionStorage.removeItem(KEY);
