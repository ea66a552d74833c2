import { createHash } from 'node:crypto';
import { auditTarget } from '@waymark/contract/event';
import { actor as actorSchema, SYSTEM_ACTOR, type Actor } from '@waymark/contract/identity';
import { entryHash, type LinkedEntry } from './chain.js';
import { entryContent, type Entry } from './entry.js';

/** Vouches for an entry without the personal data that its hash covers. */
export interface Redaction {
  /** ISO 8601. */
  redactedAt: string;
  /** Ed25519, base64url; see `redactionText`. */
  signature: string;
}

/** Whose data an entry holds: the actor, and a user that it is about. */
export const subjectsOf = ({ actor, target }: Entry): string[] =>
  [actor.id, target?.id].filter((id) => id !== null && id !== undefined);

/** The e-mail address that an entry holds without the id of a user, in lower case. */
export const invitedEmail = ({ target }: Entry): string | null =>
  target?.type === 'invitation' && target.label !== null ? target.label.toLowerCase() : null;

/** The token that the entry shows to be the actor's own: the one that they created or acted with. */
export const ownTokenOf = ({ action, actor, target }: Pick<Entry, 'action' | 'actor' | 'target'>): string | null =>
  action === 'token.created' && target !== null ? target.id : actor.token_id;

export interface ErasedUsers {
  ids: ReadonlySet<string>;
  /** In lower case. */
  emails: ReadonlySet<string>;
  /** Tokens of theirs that the entry alone does not show to be theirs. */
  tokenIds?: ReadonlySet<string>;
}

/** Returns the entry without the names, addresses and values of erased users, and without the names of their tokens. */
export function withoutPersonalData<E extends Entry>(entry: E, erased: ErasedUsers): E {
  const { actor, target } = entry;
  const isByErased = actor.id !== null && erased.ids.has(actor.id);
  const isAboutErased = target !== null && erased.ids.has(target.id);
  const isInvitation = erased.emails.has(invitedEmail(entry) ?? '');
  const isOwnToken =
    target !== null && (erased.tokenIds?.has(target.id) || (isByErased && ownTokenOf(entry) === target.id));
  if (!isByErased && !isAboutErased && !isInvitation && !isOwnToken) return entry;
  return {
    ...entry,
    ...((isByErased || isAboutErased) && { ipAddress: null }),
    ...(isByErased && { actor: withoutNamesOf(actor) }),
    ...(isOwnToken && { target: { ...target, label: null } }),
    ...((isAboutErased || isInvitation) && {
      target: target && { ...target, label: null },
      changes: withoutNames(entry.changes),
    }),
  };
}

const withoutNamesOf = (actor: Actor): Actor => ({
  ...actor,
  name: null,
  email: null,
  ...(actor.token && { token: { ...actor.token, name: null } }),
});

/** Returns a damaged entry with nothing but its place, its action and the ids that can be read. */
export function withoutTexts<E extends Entry>(entry: E): E {
  const actor = actorSchema.safeParse(entry.actor).data ?? SYSTEM_ACTOR;
  const target = auditTarget.safeParse(entry.target).data;
  return {
    ...entry,
    actor: withoutNamesOf(actor),
    target: target ? { ...target, label: null } : null,
    changes: '{}',
    ipAddress: null,
  };
}

/** Keeps the names of the changed fields, and roles and numbers, which name no person. */
function withoutNames(changes: string): string {
  const isPersonal = (field: string) => field === 'name' || field === 'email';
  const entries = Object.entries(JSON.parse(changes) as Record<string, unknown>);
  return JSON.stringify(
    Object.fromEntries(entries.map(([field, value]) => [field, isPersonal(field) ? { from: null, to: null } : value])),
  );
}

/**
 * The text that is signed: the place of the entry, the hash that the chain has of it, and the content that is left. The
 * fields and their order must never change.
 */
export function redactionText(entry: LinkedEntry, redactedAt: string): Buffer {
  const left = createHash('sha256')
    .update(JSON.stringify([entryContent(entry), entryHash(entry)]))
    .digest('hex');
  const { workspace, seq, previousHash, hash } = entry;
  return Buffer.from(
    JSON.stringify(['waymark audit redaction 1', workspace, seq, previousHash, hash, left, redactedAt]),
  );
}
