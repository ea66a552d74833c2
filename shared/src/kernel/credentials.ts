/** How the credentials that we give out begin, and what may follow. */
const CREDENTIAL = /(wmk|whsec)_[\w+/=-]+/g;

/** For texts of a client that are kept or logged: a credential may stand there by mistake. */
export const withoutCredentials = (text: string): string => text.replace(CREDENTIAL, '$1_[redacted]');
