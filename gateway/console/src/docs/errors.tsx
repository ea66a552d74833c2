import type { Answer, ApiDocument } from './document.js';
import { Markdown } from './markdown.js';
import { ERROR, PROBLEM, PROBLEMS } from './sections.js';

interface ErrorCode {
  status: string;
  code?: string;
  text: string;
}

/** Returns the errors of an answer, which are in its description: one, or a list of those that are rare. */
export function errorsOf({ status, description }: Answer): ErrorCode[] {
  const listed = [...description.matchAll(/^- (\d{3}) `(\w+)`/gm)];
  if (listed.length > 0) return listed.map(([text, each, code]) => ({ status: each!, code, text }));
  return [{ status, code: /^`(\w+)`/.exec(description)?.[1], text: description }];
}

/** Every code of an error with its status, and every code of a problem with an input. */
export function Errors({ document }: { document: ApiDocument }) {
  const { ErrorBody: error, ProblemCode: problem } = document.components.schemas;
  return (
    <>
      <Markdown
        text={
          'An error is `{"error": {"code", "message", "details", "problems"}}`. Go by the codes: messages may change.'
        }
      />
      <h3>Errors</h3>
      <Markdown text={error!.properties!['code']!.description!} anchor={ERROR} />
      <h3 id={PROBLEMS} tabIndex={-1}>
        Problems of a 422
      </h3>
      <Markdown text={problem!.description!} anchor={PROBLEM} />
    </>
  );
}
