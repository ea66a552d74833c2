import { CONSOLE_PATHS } from '@waymark/contract/console-paths';
import type { OneTimeLinkKind } from './one-time-link-store.js';

/** Returns the address of the console's page for a one-time link; its last path segment is the token. */
export const oneTimeLinkUrl = (apiBaseUrl: string, kind: OneTimeLinkKind, token: string): string =>
  `${apiBaseUrl}${CONSOLE_PATHS[kind]}/${token}`;
