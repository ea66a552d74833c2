import fc from 'fast-check';
import { scansIn, visitorsIn } from '@waymark/analytics/rollups/pieces';
import { decodeRows, encodeRows, IDS_MAX, rowKey, type Counts, type Rows } from '@waymark/analytics/rollups/rows';
import { SEGMENTS } from '@waymark/analytics/rollups/segments';
import { Vocabulary, wordOf } from '@waymark/analytics/rollups/vocabulary';

const counts = fc.record({ scans: fc.integer(), firsts: fc.integer(), lasts: fc.integer() });
const key = (quarters: number) =>
  fc
    .tuple(...[IDS_MAX, IDS_MAX, SEGMENTS, quarters].map((max) => fc.nat({ max: max - 1 })))
    .map(([campaign, value, segment, quarter]) => rowKey(campaign!, value!, segment!, quarter!));
const isSomething = ({ scans, firsts, lasts }: Counts) => scans !== 0 || firsts !== 0 || lasts !== 0;
const without = (rows: Rows) => new Map([...rows].filter(([, row]) => isSomething(row)));

test('rows are read as they were written, by quarter-hours', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key(96), counts)), (entries) => {
      const rows: Rows = new Map(entries);
      expect(decodeRows(encodeRows(rows, 'quarter'), 'quarter')).toEqual(without(rows));
    }),
  );
});

test('rows are read as they were written, by days', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key(1), counts)), (entries) => {
      const rows: Rows = new Map(entries.map(([at, row]) => [at, { ...row, lasts: 0 }]));
      expect(decodeRows(encodeRows(rows, 'day'), 'day')).toEqual(without(rows));
    }),
  );
});

test('a usual row takes five bytes', () => {
  const rows: Rows = new Map();
  for (let value = 0; value < 1000; value += 1) {
    rows.set(rowKey(0, value, 6, 40), { scans: 50, firsts: 30, lasts: 30 });
  }
  expect(encodeRows(rows, 'quarter').length).toBeLessThanOrEqual(5000 + 2);
});

test('a piece within a day counts who had come and had not left', () => {
  const piece = { day: 0, from: 10, to: 20, of: 0 };
  const row = { campaign: 0, value: 0, segment: 0, quarter: 5, scans: 7, firsts: 3, lasts: 2 };
  expect([visitorsIn(piece, row), scansIn(piece, row)]).toEqual([1, 0]);
  expect([visitorsIn(piece, { ...row, quarter: 12 }), scansIn(piece, { ...row, quarter: 12 })]).toEqual([3, 7]);
  expect(visitorsIn(piece, { ...row, quarter: 20 })).toBe(0);
});

test('what a full vocabulary has no number for is told as other', () => {
  const words = Array.from({ length: 10_000 }, (_, index) => `host${index}.example`);
  const vocabulary = new Vocabulary({ referrer: words });
  expect(vocabulary.idOf('referrer', 'host9999.example')).toBe(10_000);
  expect(wordOf(words, vocabulary.idOf('referrer', 'one.more.example'))).toBe('other');
  expect(vocabulary.added).toEqual({});
  expect(wordOf(words, 1)).toBe('host0.example');
});
