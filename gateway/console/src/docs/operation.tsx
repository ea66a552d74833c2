import { useState } from 'preact/hooks';
import { Code, Samples } from './code.js';
import { workspace } from './access.js';
import { Disclosure } from './disclosure.js';
import type { Answer, Content, Header, Operation, Parameter, Reader } from './document.js';
import { errorsOf } from './errors.js';
import { eventRequest, type ExampleMaker } from './example.js';
import { countOf, Fields, InnerFields } from './fields.js';
import { Markdown } from './markdown.js';
import { exampleValues, textOf, withWorkspace } from './request.js';
import { fieldOf, fieldsOf } from './schema.js';
import { ERROR } from './sections.js';
import { opened, toggle } from './state.js';
import { TryIt } from './try-it.js';

export interface OperationProps {
  reader: Reader;
  operation: Operation;
  /** The function of `@waymark/client` for this deployment; none for what the platform itself sends. */
  client?: string;
  maker: ExampleMaker;
}

export function OperationItem(props: OperationProps) {
  const { id, method, path, summary } = props.operation;
  return (
    <Disclosure
      id={id}
      level={3}
      class="operation"
      isOpen={opened.value.has(id)}
      onToggle={() => toggle(id)}
      label={
        <>
          <span class={`method ${method.toLowerCase()}`}>{props.client === undefined ? 'EVENT' : method}</span>
          <span class="summary">{summary}</span>
          <code class="path">{path}</code>
        </>
      }
    >
      {() => <OperationBody {...props} />}
    </Disclosure>
  );
}

const PLACES: [Parameter['in'], string][] = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
];

function OperationBody({ reader, operation, client, maker }: OperationProps) {
  const { description, permission, access, parameters, body, answers } = operation;
  const [typed, setTyped] = useState(exampleValues(operation));
  const values = withWorkspace(typed, workspace.value?.slug);
  return (
    <div class="columns">
      <div class="facts">
        {description && <Markdown text={description} />}
        {client !== undefined && (
          <section>
            <h4>Who may call it</h4>
            <Markdown text={permission || 'Everyone.'} />
          </section>
        )}
        {PLACES.map(([place, title]) => {
          const found = parameters.filter((parameter) => parameter.in === place);
          const fields = found.map(({ name, required = false, schema, description: text }) =>
            fieldOf(reader, {
              name,
              isRequired: required,
              schema: { ...schema, description: text ?? schema.description },
            }),
          );
          return (
            fields.length > 0 && (
              <section>
                <h4>{title}</h4>
                <Fields fields={fields} />
              </section>
            )
          );
        })}
        {body && <BodyFields reader={reader} body={body} />}
        <Answers reader={reader} answers={answers} />
      </div>
      <div class="try">
        {client === undefined ? (
          <Code
            label={`Example request: ${operation.summary}`}
            head="A request to your endpoint, an example"
            text={eventRequest(maker, operation)}
          />
        ) : access === 'session' ? (
          <SessionExample operation={operation} />
        ) : (
          <>
            <Samples operation={operation} values={values} origin={location.origin} client={client} />
            <TryIt operation={operation} values={values} onChange={setTyped} />
          </>
        )}
        {answers.map(
          ({ status, content }) =>
            content?.example !== undefined && (
              <Code
                label={`Example answer: ${status} ${operation.summary}`}
                head={`${status}, an example`}
                text={textOf(content.example)}
              />
            ),
        )}
      </div>
    </div>
  );
}

function SessionExample({ operation }: { operation: Operation }) {
  const example = operation.body?.example;
  return (
    <>
      <p class="notice info">
        Only for a browser that has signed in to the console: programs with a token do not call it.
      </p>
      {example !== undefined && (
        <Code label={`Example body: ${operation.summary}`} head="Body, an example" text={textOf(example)} />
      )}
    </>
  );
}

function BodyFields({ reader, body }: { reader: Reader; body: Content }) {
  return (
    <section>
      <h4>
        Body <span class="muted">{body.type}</span>
      </h4>
      {body.description && <Markdown text={body.description} />}
      <Fields fields={fieldsOf(reader, body.schema)} />
    </section>
  );
}

function Answers({ reader, answers }: { reader: Reader; answers: Answer[] }) {
  if (answers.length === 0) return null;
  const isSuccess = ({ status }: Answer) => /^[23]/.test(status);
  const errors = answers.filter((answer) => !isSuccess(answer));
  return (
    <section>
      <h4>Answers</h4>
      {answers.filter(isSuccess).map(({ status, description, headers, content }) => (
        <div class="answer">
          <Markdown text={`**${status}** ${description}${content ? ` \`${content.type}\`` : ''}`} />
          <Headers reader={reader} headers={headers} whole={`of ${status}`} />
          {content && <Fields fields={fieldsOf(reader, content.schema)} />}
        </div>
      ))}
      <ul class="errors">
        {errors.flatMap(errorsOf).map(({ status, code, text }) => (
          <li>
            <strong>{status}</strong>{' '}
            {code === undefined ? (
              text
            ) : (
              <a href={`#${ERROR}${code}`}>
                <code>{code}</code>
              </a>
            )}
          </li>
        ))}
      </ul>
      <Headers reader={reader} headers={errors.flatMap(({ headers }) => headers)} whole="of errors" />
    </section>
  );
}

interface HeadersProps {
  reader: Reader;
  /** Several answers may have the same. */
  headers: Header[];
  whole: string;
}

function Headers({ reader, headers, whole }: HeadersProps) {
  const byName = new Map(headers.map((header) => [header.name, header]));
  const fields = [...byName.values()].map(({ name, description, schema }) =>
    fieldOf(reader, { name, schema: { ...schema, description }, isRequired: false }),
  );
  return fields.length > 0 && <InnerFields label={countOf(fields, 'header', whole)} fields={fields} />;
}
