import { WAITING_NOTICE } from '@waymark/kernel/command-line/with-database';

/** Returns the standard error of an operator's command without the notice that it prints on a busy machine alone. */
export const withoutNotice = (stderr: string): string => stderr.replaceAll(WAITING_NOTICE, '');
