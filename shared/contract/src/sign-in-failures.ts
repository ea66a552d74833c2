/** Why single sign-on failed: the reasons in the address of the console's sign-in page. */
export const SIGN_IN_FAILURES = ['failed', 'no_account', 'not_configured', 'too_many_attempts', 'unavailable'] as const;
export type SignInFailure = (typeof SIGN_IN_FAILURES)[number];

const BY_STATUS: Readonly<Record<number, SignInFailure>> = {
  403: 'no_account',
  404: 'not_configured',
  429: 'too_many_attempts',
};

/** Returns the failure that the status of an error means to a person who signs in. */
export const signInFailureOf = (status: number): SignInFailure =>
  status >= 500 ? 'unavailable' : (BY_STATUS[status] ?? 'failed');

/** Tells the gateway, and only it, which page the person wanted to see. */
export const RETURN_TO_HEADER = 'x-waymark-return-to';
