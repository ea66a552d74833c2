const HOUR_MS = 3600_000;
const QUARTER_HOUR_MS = HOUR_MS / 4;
const DAY_MS = 24 * HOUR_MS;

/** How often something may happen in a window, by its name. */
export const LIMITS = {
  /** Times the factor of its network. */
  signInsOfAddress: { max: 100, windowMs: QUARTER_HOUR_MS },
  passwordGuessesOfAccountAtAddress: { max: 10, windowMs: QUARTER_HOUR_MS },
  passwordGuessesOfAccount: { max: 100, windowMs: QUARTER_HOUR_MS },
  codeGuessesInDay: { max: 20, windowMs: DAY_MS },
  codeGuessesInHour: { max: 10, windowMs: HOUR_MS },
  /** Times the factor of its network. */
  resetRequestsOfAddress: { max: 20, windowMs: QUARTER_HOUR_MS },
  resetRequestsOfAccount: { max: 5, windowMs: QUARTER_HOUR_MS },
  /** Changes of each kind by a user, and sessions: each is an entry in the audit log of every workspace of the user. */
  changesOfAccount: { max: 10, windowMs: HOUR_MS },
  startedSessions: { max: 100, windowMs: HOUR_MS },
  /** Of a user, over all workspaces. */
  sentInvitations: { max: 100, windowMs: HOUR_MS },
  /** To one address, from all users together. */
  mailedInvitations: { max: 5, windowMs: DAY_MS },
  /** E-mail addresses with an account that the holders of one user's links may try for a new one. */
  takenEmails: { max: 20, windowMs: QUARTER_HOUR_MS },
  /** Made by a user. */
  newWorkspaces: { max: 20, windowMs: DAY_MS },
} as const satisfies Record<string, WindowLimit>;

interface WindowLimit {
  max: number;
  windowMs: number;
}

/** How much a user may have; the operator has no limit. */
export const CAPS = {
  /** The next sign-in ends the oldest. */
  sessions: 50,
  /** Made by the user. */
  ownWorkspaces: 100,
  /** Got by accepting invitations. */
  memberships: 500,
};
export type Caps = typeof CAPS;

export type LimitName = keyof typeof LIMITS;
/** Replaces the maximum of some limits. */
export type Maxima = Partial<Record<LimitName, number>>;
