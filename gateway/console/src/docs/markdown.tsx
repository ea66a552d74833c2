import type { ComponentChildren } from 'preact';

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(((?:https?:\/\/|#)[^)\s]+)\)/g;

/** Renders the Markdown of descriptions: paragraphs, lists, tables, code, bold and links. Everything else stays text. */
export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocksOf(text).map(renderBlock)}</div>;
}

type Block = { kind: 'text' | 'list' | 'table'; lines: string[] };

const kindOf = (line: string): Block['kind'] =>
  /^\s*[-*] /.test(line) ? 'list' : line.startsWith('|') ? 'table' : 'text';

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let isNew = true;
  for (const line of text.split('\n')) {
    const kind = kindOf(line);
    if (line.trim() === '') isNew = true;
    else if (isNew || blocks.at(-1)!.kind !== kind) {
      blocks.push({ kind, lines: [line] });
      isNew = false;
    } else blocks.at(-1)!.lines.push(line);
  }
  return blocks;
}

function renderBlock({ kind, lines }: Block) {
  if (kind === 'list') {
    return (
      <ul>
        {lines.map((line) => (
          <li>{inline(line.replace(/^\s*[-*] /, ''))}</li>
        ))}
      </ul>
    );
  }
  return kind === 'table' ? renderTable(lines) : <p>{inline(lines.join(' '))}</p>;
}

function renderTable(lines: string[]) {
  const [head = [], , ...rows] = lines.map((line) => line.split('|').slice(1, -1));
  return (
    // Wide tables scroll by themselves, so the keyboard must reach them.
    <div class="scroll" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th scope="col">{inline(cell.trim())}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell) => (
                <td>{inline(cell.trim())}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, label, url] = match;
    parts.push(text.slice(end, match.index));
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>);
    else parts.push(<a href={url}>{label}</a>);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}
