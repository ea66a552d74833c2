import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvFile, csvLine, withMark, type Cell } from '@waymark/kernel/http/csv';

/** As a program that follows the documentation reads a file back: a quote at the front of a cell is taken off. */
function readBack(text: string): string[][] {
  const rows = parse(text, { relax_column_count: false, record_delimiter: '\r\n' });
  return rows.map((row) => row.map((cell) => cell.replace(/^'/, '')));
}

async function textOf(columns: string[], rows: Cell[][]): Promise<string> {
  const source = async function* () {
    await Promise.resolve();
    yield* rows;
  };
  const pieces: string[] = [];
  for await (const piece of csvFile('f', columns, source()).content as AsyncIterable<string>) pieces.push(piece);
  return pieces.join('');
}

const DANGEROUS = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', "'"];

test.each(DANGEROUS)('text that begins with %j does not become a formula in a spreadsheet', (start) => {
  const [[cell]] = parse(csvLine([`${start}1+1`]), { record_delimiter: '\r\n' }) as [[string]];
  expect(cell).toBe(`'${start}1+1`);
});

test('every text survives a round trip in quoted cells, and no cell is a formula', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(fc.constantFrom(...DANGEROUS, '"', ','), fc.string()).map(([start, rest]) => start + rest),
  );
  const rows = fc.array(fc.array(text, { minLength: 3, maxLength: 3 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(rows, async (cells) => {
      const written = await textOf(['a', 'b', 'c'], cells);
      expect(readBack(written)).toEqual([['a', 'b', 'c'], ...cells]);
      for (const cell of parse(written, { record_delimiter: '\r\n' }).flat())
        expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
    }),
  );
});

test('numbers stay numbers, and an absent value becomes an empty cell', () => {
  expect(csvLine([-1.5, 0, true, null, ''])).toBe('"-1.5","0","true","",""\r\n');
});

test('a file without rows has its header', async () => {
  expect(await textOf(['a', 'b'], [])).toBe('"a","b"\r\n');
});

test('a file begins with a byte order mark where the client asks for one', async () => {
  const rows = async function* () {};
  const textWith = async (isWanted: boolean) => {
    const pieces: string[] = [];
    const { content } = withMark(csvFile('f', ['a'], rows()), isWanted);
    for await (const piece of content as AsyncIterable<string>) pieces.push(piece);
    return pieces.join('');
  };
  expect([await textWith(true), await textWith(false)]).toEqual(['\ufeff"a"\r\n', '"a"\r\n']);
});

test('a file is served as a download with its name', () => {
  expect(csvFile('scans-acme', [], (async function* () {})()).headers).toMatchObject({
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': 'attachment; filename="scans-acme.csv"',
  });
});
