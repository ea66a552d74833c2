/** Matches the credentials that we issue, by their prefix. */
const CREDENTIAL = /(wmk|whsec)_[\w+/=-]+/g;
/** Matches the token of an invitation in the path of its route. */
const INVITATION = /(\/invitations\/)[\w-]{43}/g;

/** Redacts credentials in a client's text before it is stored or logged: it may contain one by mistake. */
export const redactCredentials = (text: string): string =>
  text.replace(CREDENTIAL, '$1_[redacted]').replace(INVITATION, '$1[redacted]');
