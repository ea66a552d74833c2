import { ONE_TIME_LINK_PATHS, type OneTimeLinkKind } from '@waymark/contract/console-paths';

/** Returns the address of the console's page for a one-time link. Browsers send no server what is behind `#`: the token. */
export const oneTimeLinkUrl = (apiBaseUrl: string, kind: OneTimeLinkKind, token: string): string =>
  `${apiBaseUrl}${ONE_TIME_LINK_PATHS[kind]}#${token}`;
