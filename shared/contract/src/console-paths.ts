/** Pages of the console that other parts link to; a token follows as the last segment. */
export const CONSOLE_PATHS = {
  password_reset: '/console/reset',
  invitation: '/console/invitations',
} as const;
