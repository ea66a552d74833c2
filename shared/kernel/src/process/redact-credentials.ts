/** Matches the credentials that we issue, by their prefix. */
const CREDENTIAL = /(wmk|whsec)_[\w+/=-]+/g;

/** Redacts credentials in a client's text before it is stored or logged: it may contain one by mistake. */
export const redactCredentials = (text: string): string => text.replace(CREDENTIAL, '$1_[redacted]');
