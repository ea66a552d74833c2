/** The kinds of one-time links, with the page of the console that each opens. A link carries its token behind `#`. */
export const ONE_TIME_LINK_PATHS = {
  password_reset: '/console/reset',
  invitation: '/console/invitations',
} as const;
export type OneTimeLinkKind = keyof typeof ONE_TIME_LINK_PATHS;

/** Pages of the console that other parts link to. */
export const CONSOLE_PATHS = {
  home: '/console',
  sign_in: '/console/sign-in',
  ...ONE_TIME_LINK_PATHS,
} as const;

/** Paths below which the token of a one-time link can stand: those of links of the older form, and of the API's routes. */
export const LINK_TOKEN_PATHS = [...Object.values(ONE_TIME_LINK_PATHS), '/api/v1/invitations', '/api/invitations'];
