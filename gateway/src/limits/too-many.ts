import { AppError } from '@waymark/shared/kernel/errors';

/** @param retryAfterSeconds rounded up to whole seconds */
export const tooMany = (message: string, retryAfterSeconds: number): AppError =>
  new AppError('rate_limit_exceeded', message, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) },
  });
