import { csvInvalid, type Problem } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';

export interface CsvLayout {
  separator: string;
  /** The number of the line with the column names, from 1. */
  firstLine: number;
}

export const unreadable = (...problems: Problem[]) => invalid({ csv: problems });

/** The line that some spreadsheets put before the columns. */
const TELLS_SEPARATOR = /^"?sep=([,;\t])"?(?:[,;\t]*)$/i;
const SEPARATORS = [',', ';', '\t'];

/** Spreadsheets separate cells as the user's language does. No column name contains a separator. */
export function layoutOf(text: string): CsvLayout {
  const [first = ''] = /^[^\n]*/.exec(text) ?? [];
  const told = TELLS_SEPARATOR.exec(first.slice(0, FIRST_LINE_LENGTH_MAX))?.[1];
  if (told !== undefined) return { separator: told, firstLine: 2 };
  return { separator: SEPARATORS.find((separator) => first.includes(separator)) ?? ',', firstLine: 1 };
}

const FIRST_LINE_LENGTH_MAX = 64 * 1024;
/** The parser holds a line in memory as a whole. */
const LINE_LENGTH_MAX = 2 * 1024 * 1024;
/** An export has some twenty columns. */
const CELLS_MAX = 100;
const [QUOTE, LINE_END] = ['"', '\n'].map((character) => character.charCodeAt(0));

/**
 * Refuses lines that the parser would turn into millions of cells. A line ends at a line break outside of quotes.
 * @throws AppError `validation_failed` on `csv`
 */
export function checkLines(text: string, separator: string): void {
  const separatorCode = separator.charCodeAt(0);
  let line = { number: 1, start: 0, cells: 1 };
  let [breaks, isQuoted] = [0, false];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (code === separatorCode && !isQuoted) line.cells += 1;
    else if (code === LINE_END) {
      breaks += 1;
      if (!isQuoted) line = { number: breaks + 1, start: index + 1, cells: 1 };
    }
    const { number } = line;
    const lengthMax = number === 1 ? FIRST_LINE_LENGTH_MAX : LINE_LENGTH_MAX;
    if (line.cells > CELLS_MAX)
      throw unreadable(csvInvalid(`Line ${number} has more than ${CELLS_MAX} cells.`, { line: number }));
    if (index - line.start > lengthMax)
      throw unreadable(csvInvalid(`Line ${number} has more than ${lengthMax} characters.`, { line: number }));
  }
}
