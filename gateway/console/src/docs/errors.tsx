import type { ApiDocument } from './document.js';
import { Markdown } from './markdown.js';

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
      <Markdown text={error!.properties!['code']!.description!} />
      <h3>Problems of a 422</h3>
      <Markdown text={problem!.description!} />
    </>
  );
}
