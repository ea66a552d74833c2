import { useMemo } from 'preact/hooks';
import type { ApiDocument, Group, Reader } from './document.js';
import type { ExampleMaker } from './example.js';
import { anchorOf, listedCodes, sectionsOf } from './markdown.js';
import { OperationItem } from './operation.js';
import type { Product } from './product.js';
import { entryOf, search, type Entry } from './search.js';
import { BASIC, BASICS, BASICS_NAME, ERROR, EVENTS, PROBLEM } from './sections.js';
import { VERIFY } from './verify-webhook.js';

interface FoundProps {
  query: string;
  document: ApiDocument;
  reader: Reader;
  groups: Group[];
  product: Product;
  maker: ExampleMaker;
  onGo: (id: string) => void;
}

/** What a search has found, the best first. */
export function Found({ query, document, reader, groups, product, maker, onGo }: FoundProps) {
  const entries = useMemo(() => entriesOf(document, reader, groups), [document, reader, groups]);
  const found = search(entries, query);
  return (
    <>
      <p role="status" class="muted">
        {found.length === 0 ? 'Nothing matches.' : `${found.length} ${found.length === 1 ? 'match' : 'matches'}`}
      </p>
      {found.length > 0 && (
        <section class="panel group" aria-labelledby="found">
          <h2 class="found" id="found">
            Found
          </h2>
          {found.map(({ id, name, operation, isEvent }) =>
            operation ? (
              <OperationItem
                key={id}
                reader={reader}
                operation={operation}
                client={isEvent ? undefined : product.client}
                maker={maker}
              />
            ) : (
              <h3 class="found-section" key={id}>
                <a href={`#${id}`} onClick={() => onGo(id)}>
                  {name}
                </a>
              </h3>
            ),
          )}
        </section>
      )}
    </>
  );
}

function entriesOf(document: ApiDocument, reader: Reader, groups: Group[]): Entry[] {
  const { ErrorBody: error, ProblemCode: problem } = document.components.schemas;
  const entry = (id: string, name: string, ...places: string[]): Entry => ({
    id,
    name,
    places: places.map((text) => text.toLowerCase()),
  });
  return [
    ...sectionsOf(document.info.description ?? '').map(({ name, text }) =>
      name === ''
        ? entry(BASICS, BASICS_NAME, BASICS_NAME, '', text)
        : entry(anchorOf(BASIC, name), name, name, '', text),
    ),
    entry('downloads', 'OpenAPI document and TypeScript client', 'OpenAPI document and TypeScript client npm install'),
    entry(VERIFY, 'Verify the signature of a webhook', 'Verify the signature of a webhook webhook-signature secret'),
    ...listedCodes(error!.properties!['code']!.description!).map(({ code, text }) =>
      entry(ERROR + code, `Error ${code}`, text.split(':')[0]!, '', text),
    ),
    ...groups.flatMap(({ id, operations }) => operations.map((each) => entryOf(reader, each, id === EVENTS))),
    ...listedCodes(problem!.description!).map(({ code, text }) =>
      entry(PROBLEM + code, `Problem ${code}`, '', '', text),
    ),
  ];
}
