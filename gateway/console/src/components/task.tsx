import { useRef, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../api/failure.js';
import { withRecentSignIn } from '../app/reauthentication.js';
import { t } from '../messages/messages.js';
import { FailureText, Notice } from './notice.js';

export interface Task<A extends unknown[]> {
  /** Returns whether it succeeded. */
  start: (...args: A) => Promise<boolean>;
  failure: Failure | undefined;
  isBusy: boolean;
}

/** Runs a change once at a time, asks for the password where that is needed, and keeps its failure until the next attempt. */
export function useTask<A extends unknown[]>(run: (...args: A) => Promise<unknown>): Task<A> {
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  const start = async (...args: A) => {
    if (isRunning.current) return false;
    isRunning.current = true;
    setBusy(true);
    let failed: Failure | undefined;
    try {
      await withRecentSignIn(() => run(...args));
    } catch (error) {
      failed = asFailure(error);
    }
    setFailure(failed);
    isRunning.current = false;
    setBusy(false);
    return failed === undefined;
  };
  return { start, failure, isBusy };
}

/** Reports a failure unless it is already beside one of the fields. */
export function FailureNotice({ failure, fields = [] }: { failure: Failure | undefined; fields?: readonly string[] }) {
  if (!failure || failure.kind === 'ended' || fields.some((name) => failure.within(name))) return null;
  return (
    <Notice kind="danger" icon={failure.kind === 'offline' ? 'offline' : 'alert'} role="alert">
      {failure.firstProblem ?? <FailureText failure={failure} />} {failure.isTemporary && t.failure.kept}
    </Notice>
  );
}
