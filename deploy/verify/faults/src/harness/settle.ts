import { waitFor } from '@waymark/testing/wait-for';

/** Waits until the check passes, but no longer than this: the report shows anything still missing. */
export async function settle(check: () => boolean | Promise<boolean>, timeoutMs: number, pauseMs = 500): Promise<void> {
  await waitFor('the fault to settle', check, { timeoutMs, pauseMs }).catch(() => undefined);
}
