export type Status = 'active' | 'archived';
export type Scope = 'read_only' | 'read_write';

/** The visible state of a link. */
export interface LinkState {
  title: string | null;
  destination_url: string;
  short_code: string;
  status: Status;
  starts_at: string | null;
  expires_at: string | null;
  expired_url: string | null;
  redirect_status: number;
}

/** The state of a link whose request names only a destination. */
export const DEFAULTS = {
  title: null,
  status: 'active' as const,
  starts_at: null,
  expires_at: null,
  expired_url: null,
  redirect_status: 302,
};

interface KnownLink extends LinkState {
  /** The codes that lead to it: its present and former ones, in any case. */
  codes: Set<string>;
}

/** The limit of links in any status, as a multiple of the limit of active ones. */
const ANY_STATUS_FACTOR = 10;

/** A status, with the first wrong field behind a 422. */
export type Outcome = string;

/** The documented behaviour of one workspace's links, tokens and quota, in as few lines as possible. */
export class Reference {
  /** `null` for a deleted link. */
  readonly links: (KnownLink | null)[] = [];
  readonly tokens: { scope: Scope; isRevoked: boolean }[] = [];
  /** The events that webhooks deliver, once each. */
  readonly events: { type: string; link: LinkState }[] = [];

  constructor(private readonly activeMax: number) {}

  /** @param token its index; the owner's browser unless given */
  refusal(token: number | undefined, ability: 'read' | 'write'): Outcome | undefined {
    const used = token === undefined ? undefined : this.tokens[token]!;
    if (used?.isRevoked) return '401';
    return used?.scope === 'read_only' && ability === 'write' ? '403' : undefined;
  }

  create(state: LinkState): Outcome {
    if (state.status === 'active' && !this.hasRoom()) return '422 quota';
    if (this.living().length >= ANY_STATUS_FACTOR * this.activeMax) return '422 quota';
    if (!isInOrder(state)) return '422 expires_at';
    if (this.isTaken(state.short_code)) return '422 short_code';
    this.links.push({ ...state, codes: new Set([state.short_code.toLowerCase()]) });
    this.tell('link.created', state);
    return '201';
  }

  change(index: number, changes: Partial<LinkState>): Outcome {
    const link = this.links[index];
    if (!link) return '404';
    const before = viewOf(link);
    const after = { ...before, ...changes };
    if (!isInOrder(after)) return '422 expires_at';
    if (before.status === 'archived' && after.status === 'active' && !this.hasRoom()) return '422 quota';
    if (this.isTaken(after.short_code, link)) return '422 short_code';
    Object.assign(link, after);
    link.codes.add(after.short_code.toLowerCase());
    if (before.status !== after.status)
      this.tell(after.status === 'active' ? 'link.reactivated' : 'link.archived', after);
    else if (JSON.stringify(before) !== JSON.stringify(after)) this.tell('link.updated', after);
    return '200';
  }

  delete(index: number): Outcome {
    const link = this.links[index];
    if (!link) return '404';
    this.links[index] = null;
    this.tell('link.deleted', viewOf(link));
    return '204';
  }

  /** Returns the answer to a visitor: a status, and where a 302 leads. */
  visit(code: string): string {
    const link = this.living().find(({ codes }) => codes.has(code.toLowerCase()));
    if (!link) return '404';
    switch (availabilityOf(link)) {
      case 'archived':
        return '410';
      case 'scheduled':
        return '404';
      case 'expired':
        return link.expired_url === null ? '410' : `302 ${link.expired_url}`;
      case 'available':
        return `${link.redirect_status} ${new URL(link.destination_url).href}`;
    }
  }

  list({ status, availability }: { status?: Status; availability?: Availability } = {}): LinkState[] {
    return this.living()
      .filter((link) => !status || link.status === status)
      .filter((link) => !availability || availabilityOf(link) === availability)
      .map(viewOf);
  }

  revoke(token: number): Outcome {
    const revoked = this.tokens[token];
    if (!revoked || revoked.isRevoked) return '404';
    revoked.isRevoked = true;
    return '204';
  }

  private living(): KnownLink[] {
    return this.links.filter((link) => link !== null);
  }

  private hasRoom(): boolean {
    return this.list({ status: 'active' }).length < this.activeMax;
  }

  private isTaken(code: string, by?: KnownLink): boolean {
    return this.living().some((link) => link !== by && link.codes.has(code.toLowerCase()));
  }

  private tell(type: string, link: LinkState): void {
    this.events.push({ type, link: viewOf(link) });
  }
}

export const AVAILABILITIES = ['archived', 'scheduled', 'expired', 'available'] as const;
export type Availability = (typeof AVAILABILITIES)[number];

/** Times are far in the past or in the future. */
export function availabilityOf({ status, starts_at: startsAt, expires_at: expiresAt }: LinkState): Availability {
  if (status === 'archived') return 'archived';
  if (startsAt !== null && Date.parse(startsAt) > Date.now()) return 'scheduled';
  return expiresAt !== null && Date.parse(expiresAt) < Date.now() ? 'expired' : 'available';
}

const isInOrder = ({ starts_at: startsAt, expires_at: expiresAt }: LinkState): boolean =>
  startsAt === null || expiresAt === null || startsAt < expiresAt;

/** Returns the fields of a link that the reference models. */
export const viewOf = (link: LinkState): LinkState => ({
  title: link.title,
  destination_url: link.destination_url,
  short_code: link.short_code,
  status: link.status,
  starts_at: link.starts_at,
  expires_at: link.expires_at,
  expired_url: link.expired_url,
  redirect_status: link.redirect_status,
});
