import type { Answer, ApiDocument, Group } from './document.js';
import { Markdown } from './markdown.js';

/** Every code of an error with its status, and every code of a problem with an input. */
export function Errors({ document, groups }: { document: ApiDocument; groups: Group[] }) {
  const { Error: error, ProblemCode: problem } = document.components.schemas;
  const codes = (error?.properties?.['code']?.enum ?? []) as string[];
  const answers = groups.flatMap(({ operations }) => operations).flatMap((operation) => operation.answers);
  const rows = codes.map((code) => rowOf(code, answers));
  return (
    <>
      <Markdown
        text={
          'An error is `{"error": {"code", "message", "details", "problems"}}`. Go by the codes: messages may change.'
        }
      />
      <h3>Errors</h3>
      <Markdown text={['| code | status | meaning |', '|---|---|---|', ...rows].join('\n')} />
      <h3>Problems of a 422</h3>
      <Markdown text={problem?.description ?? ''} />
    </>
  );
}

/** The description of an error's answer begins with its code. No operation lists 405. */
function rowOf(code: string, answers: Answer[]): string {
  const prefix = `\`${code}\``;
  const found = answers.filter(({ description }) => description.startsWith(prefix));
  const statuses = code === 'method_not_allowed' ? ['405'] : [...new Set(found.map(({ status }) => status))];
  const meaning = found[0]?.description.slice(prefix.length).replace(/^:\s*/, '') ?? '';
  return `| ${prefix} | ${statuses.join(', ')} | ${meaning} |`;
}
