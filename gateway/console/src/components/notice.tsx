import type { ComponentChildren } from 'preact';
import type { Failure } from '../api/failure.js';
import { now, useClock, type Loaded } from '../app/load.js';
import { formatTime } from '../format/format.js';
import { t } from '../messages/messages.js';
import { Icon, type IconName } from './icon.js';

interface NoticeProps {
  kind: 'ok' | 'warn' | 'danger' | 'info';
  icon: IconName;
  role?: 'alert' | 'status';
  children: ComponentChildren;
  action?: ComponentChildren;
}

export function Notice({ kind, icon, role, children, action }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={role}>
      <Icon name={icon} />
      <div class="text">{children}</div>
      {action}
    </div>
  );
}

/** Says in one sentence why a request failed. */
export function failureText(failure: Failure): string {
  const texts = t.failure;
  switch (failure.kind) {
    case 'offline':
      return texts.offline;
    case 'unavailable':
      return texts.unavailable;
    case 'limit':
      return texts.limit(failure.retryAfterSeconds ?? 1);
    case 'missing':
      return texts.missing;
    case 'forbidden':
      return failure.needsRecentSignIn ? t.recentSignIn.text : failure.message || texts.forbidden;
    case 'changed':
    case 'input':
      return failure.message || texts.forbidden;
    default:
      return failure.status >= 500 ? texts.other : failure.message || texts.other;
  }
}

/** The reason in one sentence, like `failureText`; the seconds of a limit count down, without being read out each time. */
export function FailureText({ failure }: { failure: Failure }) {
  return failure.kind === 'limit' && failure.retryAt > 0 ? (
    <LimitText failure={failure} />
  ) : (
    <>{failureText(failure)}</>
  );
}

function LimitText({ failure: { retryAt, retryAfterSeconds } }: { failure: Failure }) {
  useClock();
  // The clock stands still until something uses it.
  const seconds = Math.min(Math.ceil((retryAt - now.value) / 1000), retryAfterSeconds!);
  return <span role="timer">{seconds > 0 ? t.failure.limit(seconds) : t.failure.limitOver}</span>;
}

/** Says that what a page shows is old, how old, and when the next attempt comes. */
export function LoadNotice({ loaded }: { loaded: Loaded<unknown> }) {
  useClock();
  const { failure, retryAt, loadedAt, data } = loaded;
  if (!failure || failure.kind === 'ended') return null;
  if (!failure.isTemporary) {
    return (
      <Notice kind="danger" icon="alert" role="alert">
        {failureText(failure)}
      </Notice>
    );
  }
  const seconds = Math.ceil((retryAt - now.value) / 1000);
  const title = failure.kind === 'offline' ? t.failure.noConnection : failureText(failure);
  return (
    <Notice
      kind="warn"
      icon="warning"
      action={<span class="muted">{seconds > 0 ? t.failure.nextTry(seconds) : t.failure.tryingNow}</span>}
    >
      <span role="status">
        <strong>{title}</strong> {data === undefined ? t.failure.nothingYet : t.failure.stale(formatTime(loadedAt))}
      </span>
    </Notice>
  );
}
