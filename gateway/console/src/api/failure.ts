import type { WaymarkError } from '@waymark/client';
import { reportHandled } from './handled-errors.js';

export type FailureKind =
  'offline' | 'unavailable' | 'limit' | 'input' | 'changed' | 'ended' | 'forbidden' | 'missing' | 'other';

const KINDS: Record<number, FailureKind> = {
  401: 'ended',
  403: 'forbidden',
  404: 'missing',
  409: 'changed',
  412: 'changed',
  422: 'input',
  429: 'limit',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/** A request without the wanted result. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;
  /** When the request may succeed; 0 if the server has not said. */
  readonly retryAt: number;

  /** @param error absent for a server that cannot be reached */
  constructor({ status = 0, message = '', details = {}, retryAfter }: Partial<WaymarkError> = {}) {
    super(status === 0 ? '' : message);
    this.status = status;
    this.kind = status === 0 ? 'offline' : (KINDS[status] ?? 'other');
    this.details = details;
    this.retryAfterSeconds = retryAfter || undefined;
    this.retryAt = retryAfter ? Date.now() + retryAfter * 1000 : 0;
  }

  /** The messages of a field, e.g. `destination_url`. */
  of(field: string): string | undefined {
    const messages = this.details[field];
    return Array.isArray(messages) ? messages.join(' ') : undefined;
  }

  /** The messages of a field and of its parts, e.g. `utm_defaults.utm_source`. */
  within(field: string): string | undefined {
    const names = Object.keys(this.details).filter((name) => name === field || name.startsWith(`${field}.`));
    return names.map((name) => this.of(name)).find(Boolean);
  }

  /** The messages of the first field that has some. */
  get firstProblem(): string | undefined {
    return Object.keys(this.details)
      .map((name) => this.of(name))
      .find(Boolean);
  }

  get isQuota(): boolean {
    return this.details['reason'] === 'quota_exceeded';
  }

  get needsRecentSignIn(): boolean {
    return this.details['reauthenticate'] === true;
  }

  /** Whether the same request may succeed later without a change. */
  get isTemporary(): boolean {
    return this.kind === 'offline' || this.kind === 'unavailable' || this.kind === 'limit';
  }
}

export const asFailure = (error: unknown): Failure => {
  if (error instanceof Failure) return error;
  reportHandled(error);
  return new Failure({ status: 500 });
};
