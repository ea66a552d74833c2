import { deserialize } from 'bson';
import { CommandError } from './errors.js';

/**
 * Refuses operators that DocumentDB 1.0 computes wrongly without an error: a wrong number in a report is worse.
 * `$dateTrunc` to days and weeks takes months for 30 days; to months and more it ignores summer time.
 * `$redact` is skipped when the pipeline ends in `$count`.
 */
const WRONG_UNITS: ReadonlySet<unknown> = new Set(['day', 'week']);
const WRONG_UNITS_WITH_ZONE: ReadonlySet<unknown> = new Set(['month', 'quarter', 'year']);
const SUSPECTS = ['$dateTrunc', '$redact'];

export function refuseKnownBugs(spec: Buffer): void {
  if (SUSPECTS.some((name) => spec.includes(name))) visit(deserialize(spec));
}

function visit(value: unknown): void {
  if (Array.isArray(value)) value.forEach(visit);
  else if (value && Object.getPrototypeOf(value) === Object.prototype) visitObject(value as Record<string, unknown>);
}

function visitObject(object: Record<string, unknown>): void {
  if ('$redact' in object) refuse('$redact: filter with $match');
  const truncated = object.$dateTrunc as { unit?: unknown; timezone?: unknown } | undefined;
  const { unit, timezone } = truncated ?? {};
  if (WRONG_UNITS.has(unit) || (timezone !== undefined && WRONG_UNITS_WITH_ZONE.has(unit))) {
    refuse(`$dateTrunc to a ${String(unit)}: use $dateToString or $dateFromParts`);
  }
  Object.values(object).forEach(visit);
}

function refuse(what: string): never {
  throw new CommandError(
    { code: 115, codeName: 'CommandNotSupported' },
    `the local database computes this wrongly: ${what}`,
  );
}
