import { signal } from '@preact/signals';
import { asFailure } from '../api/failure.js';

/** Settles the question for the password that is shown; `undefined` while none is. */
export const passwordQuestion = signal<((isConfirmed: boolean) => void) | undefined>(undefined);

const askForPassword = (): Promise<boolean> =>
  new Promise((resolve) => {
    passwordQuestion.value = (isConfirmed) => {
      passwordQuestion.value = undefined;
      resolve(isConfirmed);
    };
  });

/** Runs a change; if it needs a recent sign-in, asks for the password and runs it again. */
export async function withRecentSignIn<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!asFailure(error).needsRecentSignIn || !(await askForPassword())) throw error;
    return run();
  }
}
