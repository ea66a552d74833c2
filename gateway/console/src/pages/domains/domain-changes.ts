import type { Domain, DomainChange } from '../../api/domains.js';
import { Failure } from '../../api/failure.js';
import type { Fields } from '../../components/form.js';
import { withScheme } from '../../format/addresses.js';
import { domainSettings as words } from '../../messages/domain-settings.js';

export const URLS = ['root_url', 'not_found_url', 'expired_url'] as const;
export const FILES = ['apple_app_site_association', 'assetlinks'] as const;

export const fileText = (file: object | null | undefined): string => (file ? JSON.stringify(file, null, 2) : '');

/** Returns what differs from the settings of the domain. @throws Failure for a file that is no JSON */
export function changesOf(domain: Domain, fields: Fields): DomainChange {
  const changes: DomainChange = {};
  for (const name of URLS) {
    const url = withScheme(fields[name]!) || null;
    if (url !== (domain[name] ?? null)) changes[name] = url;
  }
  const isIndexable = fields['indexable'] !== undefined;
  if (isIndexable !== (domain.indexable ?? false)) changes.indexable = isIndexable;
  const changed = FILES.filter((name) => fields[name] !== fileText(domain[name]));
  return { ...changes, ...parseFiles(changed, fields) };
}

function parseFiles(names: readonly (typeof FILES)[number][], fields: Fields): DomainChange {
  const problems: Record<string, string[]> = {};
  const files = names.map((name) => {
    const text = fields[name]!;
    if (text === '') return [name, null];
    try {
      return [name, JSON.parse(text) as unknown];
    } catch (error) {
      problems[name] = [problemOf(error as SyntaxError)];
      return [name, undefined];
    }
  });
  if (Object.keys(problems).length > 0) throw new Failure({ status: 422, details: problems });
  return Object.fromEntries(files) as DomainChange;
}

/** Most browsers name the line. */
function problemOf({ message }: SyntaxError): string {
  const line = /line (\d+)/.exec(message)?.[1];
  return line === undefined ? words.notJson : words.notJsonAt(line);
}
