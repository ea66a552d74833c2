import { AppError } from '@waymark/shared/kernel/errors';

export const tooMany = (message: string, retryAfterSeconds: number): AppError =>
  new AppError('rate_limit_exceeded', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
