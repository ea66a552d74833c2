import { LINK_TOKEN_PATHS } from '@waymark/contract/console-paths';

/** Matches the credentials that we issue, by their prefix. */
const CREDENTIAL = /(wmk|whsec)_[\w+/=-]+/g;
/** Matches the token of a one-time link in a path. It has 43 characters; ids and the names of routes are shorter than 32. */
const LINK_TOKEN = new RegExp(`((?:${LINK_TOKEN_PATHS.join('|')})/+)[^/?#\\s]{32,}`, 'gi');

/** Redacts credentials in a client's text before it is stored or logged: it may contain one by mistake. */
export const redactCredentials = (text: string): string =>
  text.replace(CREDENTIAL, '$1_[redacted]').replace(LINK_TOKEN, '$1[redacted]');
