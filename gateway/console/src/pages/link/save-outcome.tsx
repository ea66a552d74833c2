import type { Failure } from '../../api/failure.js';
import { FailureText, Notice } from '../../components/notice.js';
import { formatMoment } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { CODED, TIMES, type Name, type Values } from './form-values.js';

interface OutcomeProps {
  failure: Failure;
  /** The fields that another member has changed meanwhile. */
  theirs: readonly Name[];
  /** The values that are saved. */
  base: Values;
}

/** Says why the changes were not saved; what concerns one field is beside that. */
export function SaveOutcome({ failure, theirs, base }: OutcomeProps) {
  if (failure.status === 412) {
    return (
      <Notice kind="warn" icon="warning" role="alert">
        <strong>{theirs.length > 0 ? t.link.conflict : t.link.conflictElsewhere}</strong>
        <ul>
          {theirs.map((name) => (
            <li key={name}>
              {t.link.fields[name]}
              {!CODED.includes(name) && `: ${textOf(name, base[name])}`}
            </li>
          ))}
        </ul>
      </Notice>
    );
  }
  return (
    <Notice kind="danger" icon="alert" role="alert">
      <strong>{t.link.notSaved}</strong>{' '}
      {CODED.map((name) => failure.of(name)).find(Boolean) ?? <FailureText failure={failure} />}{' '}
      {failure.isTemporary && t.failure.kept}
    </Notice>
  );
}

function textOf(name: Name, value: string): string {
  if (value === '') return t.none;
  return (TIMES as readonly Name[]).includes(name) ? formatMoment(value) : value;
}
