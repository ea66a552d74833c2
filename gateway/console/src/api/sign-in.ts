import { api, send } from './client.js';

/** Whether the operator has set up single sign-on; false when the server does not answer. */
export const hasSingleSignOn = (): Promise<boolean> =>
  send(api.GET('/api/v1/session/methods')).then(
    ({ data }) => data.single_sign_on,
    () => false,
  );

/** The longest `return_to` that the server accepts. */
const RETURN_TO_MAX = 512;

/** The address that sends the browser to the OpenID provider, and in the end to this page. */
export function singleSignOnAddress(page: string): string {
  const returnTo = page.length > RETURN_TO_MAX ? page.split(/[?#]/, 1)[0]! : page;
  return `/api/v1/session/oidc?${new URLSearchParams({ return_to: returnTo }).toString()}`;
}
