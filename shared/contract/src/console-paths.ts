/** Pages of the console that other parts link to; a one-time link adds its token as the last segment. */
export const CONSOLE_PATHS = {
  home: '/console',
  sign_in: '/console/sign-in',
  password_reset: '/console/reset',
  invitation: '/console/invitations',
} as const;
