import type { LinkImport, Outcome } from '../../api/imports.js';
import { Icon } from '../../components/icon.js';
import { t } from '../../messages/messages.js';

type Job = Omit<LinkImport, 'errors'>;

const LOOKS = {
  queued: { kind: 'warn', icon: 'clock' },
  processing: { kind: 'warn', icon: 'clock' },
  completed: { kind: 'ok', icon: 'check' },
  completed_with_errors: { kind: 'warn', icon: 'warning' },
  failed: { kind: 'danger', icon: 'alert' },
} as const;

export function StatusBadge({ job }: { job: Job }) {
  const { kind, icon } = LOOKS[job.status];
  return (
    <span class={`badge ${kind}`}>
      <Icon name={icon} />
      {t.imports.statuses[job.status]}
    </span>
  );
}

export const isFinished = ({ status }: Job): boolean => status !== 'queued' && status !== 'processing';

const OUTCOMES: readonly Outcome[] = ['created', 'updated', 'unchanged', 'skipped', 'failed'];

/** What happened to the rows, or would happen; without outcomes that no row has. */
export function countsOf(job: Job): { outcome: Outcome; label: string; count: number }[] {
  const labels = job.options.dry_run ? t.imports.planned : t.imports.outcomes;
  return OUTCOMES.map((outcome) => ({ outcome, label: labels[outcome], count: job[`${outcome}_count`] })).filter(
    ({ count }) => count > 0,
  );
}
