import { withScheme } from '../../format/addresses.js';

const COLUMN = 'destination_url';
const SEPARATORS = /[,;\t]/;

/** Completes the destinations of a CSV file, which people type without a scheme; every other character stays as it is. */
export function completeAddresses(csv: string): string {
  const [separator = ','] = SEPARATORS.exec(csv.slice(0, csv.search(/[\r\n]|$/))) ?? [];
  const cell = new RegExp(`("(?:[^"]|"")*"|[^"\\r\\n${separator}]*)(${separator}|\\r\\n|\\r|\\n|$)`, 'y');
  const parts: string[] = [];
  let [column, wanted, isHead] = [0, -1, true];
  while (cell.lastIndex < csv.length) {
    const found = cell.exec(csv);
    // Something that is no CSV is for the server to reject.
    if (!found) return csv;
    const [, text, end] = found as unknown as [string, string, string];
    if (isHead && unquote(text).trim() === COLUMN) wanted = column;
    parts.push(!isHead && column === wanted ? complete(text) : text, end);
    if (end === separator) column += 1;
    else [column, isHead] = [0, false];
  }
  return parts.join('');
}

const unquote = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);

function complete(cell: string): string {
  const typed = unquote(cell);
  const address = withScheme(typed);
  if (address === typed.trim()) return cell;
  return cell.startsWith('"') ? `"${address.replaceAll('"', '""')}"` : address;
}
