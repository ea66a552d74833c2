import leven from 'leven';
import { notFound, printable, type AppError } from '../errors.js';

const SHOWN_MAX = 200;
const SEGMENT_MAX = 64;
/** Typing mistakes in one segment; beyond them a suggestion would be a guess. */
const DISTANCE_MAX = 3;
const DISTANCE_SHARE_MAX = 0.4;

/**
 * Returns the error for a path that no route has. It names the nearest path, which the API description lists for
 * everybody.
 * @param templates the paths of the routes, with `:name` for parameters
 */
export function noRoute({ method, path }: { method: string; path: string }, templates: readonly string[]): AppError {
  const missing = path.replace(/(\/workspaces\/)[^/]+/, '$1{workspace}');
  const nearest = nearestTemplate(path, templates)?.replace(/:(\w+)/g, '{$1}');
  const hint = nearest === undefined ? '' : ` Did you mean ${withoutCommon(missing, nearest)}?`;
  return notFound(`There is no route ${method} ${printable(missing, SHOWN_MAX)}.${hint}`);
}

/** Returns the path below the workspace, unless the mistake is before it. */
function withoutCommon(missing: string, nearest: string): string {
  const [common] = /^.*\/workspaces\/\{workspace\}(?=\/)/.exec(nearest) ?? [];
  return common !== undefined && missing.startsWith(`${common}/`) ? nearest.slice(common.length) : nearest;
}

function nearestTemplate(path: string, templates: readonly string[]): string | undefined {
  const given = path.replace(/\/+$/, '').split('/');
  let nearest: { template: string; distance: number } | undefined;
  for (const template of templates) {
    const distance = distanceBetween(given, template.split('/'));
    if (distance < (nearest?.distance ?? Infinity)) nearest = { template, distance };
  }
  return nearest?.template;
}

/** Returns the number of typing mistakes that make the path one of this template; infinite if it has too many. */
function distanceBetween(given: readonly string[], template: readonly string[]): number {
  if (given.length !== template.length) return Infinity;
  return template.reduce((sum, segment, index) => sum + distanceOf(given[index]!, segment), 0);
}

function distanceOf(given: string, segment: string): number {
  if (given === segment) return 0;
  if (given === '' || given.length > SEGMENT_MAX) return Infinity;
  if (segment.startsWith(':')) return 0;
  const distance = leven(given.toLowerCase(), segment.toLowerCase());
  const isNear = distance <= 1 || (distance <= DISTANCE_MAX && distance <= DISTANCE_SHARE_MAX * segment.length);
  return isNear ? distance : Infinity;
}
