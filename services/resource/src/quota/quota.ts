import { AppError } from '@waymark/shared/kernel/errors';

/** The workspace that content belongs to, as its identity or an import job names it. */
export interface Owner {
  slug: string;
  /** `activeLinks`: how many links or QR codes may be active; `null` is unlimited. */
  plan: { activeLinks: number | null };
}

export function quotaReached(resource: string, limit: number, current: number): AppError {
  const quota = [`The limit of this workspace is ${limit} ${resource.replaceAll('_', ' ')}.`];
  const details = { quota, resource, limit, current };
  return new AppError('validation_failed', 'The given data was invalid.', { details });
}
