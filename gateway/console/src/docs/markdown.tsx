import type { ComponentChildren } from 'preact';
import { PROBLEMS } from './sections.js';

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(((?:https?:\/\/|#)[^)\s]+)\)/g;

/** Sections of this page that texts name as schemas. */
const SECTIONS: Record<string, string> = { ProblemCode: PROBLEMS };

interface MarkdownProps {
  text: string;
  /** What the anchors of headings, and of entries about a `code`, begin with; without it they have none. */
  anchor?: string;
}

/** Renders the Markdown of descriptions: headings, paragraphs, lists, tables, code, bold and links. Everything else stays text. */
export function Markdown({ text, anchor }: MarkdownProps) {
  return <div class="markdown">{blocksOf(text).map((block) => renderBlock(block, anchor))}</div>;
}

/** Returns the anchor of a heading. */
export const anchorOf = (anchor: string, name: string): string =>
  anchor + name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Divides a text by its headings of the second level. */
export function sectionsOf(text: string): { name: string; text: string }[] {
  return text.split(/^## /m).map((section, index) => {
    const end = section.indexOf('\n');
    return index === 0 ? { name: '', text: section } : { name: section.slice(0, end), text: section.slice(end) };
  });
}

/** Returns the entries of a list that begin with a code. */
export const listedCodes = (text: string): { code: string; text: string }[] =>
  [...text.matchAll(/^- `(\w+)`.*$/gm)].map(([line, code]) => ({ code: code!, text: line }));

type Block = { kind: 'heading' | 'text' | 'list' | 'table'; lines: string[] };

function kindOf(line: string): Block['kind'] {
  if (line.startsWith('## ')) return 'heading';
  if (/^\s*[-*] /.test(line)) return 'list';
  return line.startsWith('|') ? 'table' : 'text';
}

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

function renderBlock({ kind, lines }: Block, anchor?: string) {
  if (kind === 'heading') {
    const name = lines[0]!.slice('## '.length);
    return (
      <h3 id={anchor && anchorOf(anchor, name)} tabIndex={-1}>
        {inline(name)}
      </h3>
    );
  }
  if (kind === 'list') {
    return (
      <ul>
        {lines.map((line) => {
          const text = line.replace(/^\s*[-*] /, '');
          const code = anchor && /^`(\w+)`/.exec(text)?.[1];
          return code ? (
            <li id={anchor + code} tabIndex={-1}>
              {inline(text)}
            </li>
          ) : (
            <li>{inline(text)}</li>
          );
        })}
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
    const section = SECTIONS[code ?? ''];
    if (section !== undefined)
      parts.push(
        <a href={`#${section}`}>
          <code>{code}</code>
        </a>,
      );
    else if (code !== undefined) parts.push(<code>{code}</code>);
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>);
    else parts.push(<a href={url}>{label}</a>);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}
