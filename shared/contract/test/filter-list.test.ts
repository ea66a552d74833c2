import { formatList, listFilter, type FilterList } from '@waymark/contract/filter-list';
import fc from 'fast-check';

const read = (text: string, words?: string[]) => listFilter('city', words).safeParse(text);
const list = (isNegated: boolean, ...values: string[]): FilterList => ({ values, isNegated });

test.each<[string, FilterList | undefined]>([
  ['Bonn', list(false, 'Bonn')],
  ['Bonn,Köln', list(false, 'Bonn', 'Köln')],
  ['!Bonn,Köln', list(true, 'Bonn', 'Köln')],
  [' Bonn , , Ko\u0308ln,', list(false, 'Bonn', 'Köln')],
  ['Bonn,Bonn', list(false, 'Bonn')],
  ['Bonn,!Köln', list(false, 'Bonn', '!Köln')],
  ['\\!Bonn', list(false, '!Bonn')],
  ['!\\!Bonn', list(true, '!Bonn')],
  ['Washington\\, D.C.,Bonn', list(false, 'Washington, D.C.', 'Bonn')],
  ['a\\\\,b', list(false, 'a\\', 'b')],
  ['a\\b', list(false, 'a\\b')],
  ['a,b\\', list(false, 'a', 'b\\')],
  ['all,Bonn', list(false, 'all', 'Bonn')],
  ['\\all', list(false, 'all')],
  [' \\all ', list(false, 'all')],
  ['!\\all', list(true, 'all')],
  ['\\all,Bonn', list(false, 'all', 'Bonn')],
  ['\\\\all', list(false, '\\all')],
  ['\\allround', list(false, '\\allround')],
  ['not\\all', list(false, 'not\\all')],
  ['all', undefined],
  [' all ', undefined],
  ['', undefined],
  ['!', undefined],
  [',,', undefined],
])('%j is read as %j', (text, expected) => {
  expect(read(text)).toEqual({ success: true, data: expected });
});

test.each([
  ['fridge', ['mobile', 'desktop'], 'The city must be all, mobile or desktop.'],
  ['!mobile,fridge', ['mobile', 'desktop'], 'The city must be all, mobile or desktop.'],
  ['!all', ['mobile', 'desktop'], 'The city must be all, mobile or desktop.'],
  [Array.from({ length: 51 }, (_, i) => i).join(), undefined, 'The city must have at most 50 values.'],
  [`a,${'\ufdfa'.repeat(256)}`, undefined, 'The city must have at most 255 characters in each value.'],
  ['x'.repeat(100_000), undefined, 'The city must have at most 255 characters in each value.'],
])('the %# is refused', (text, words, message) => {
  expect(read(text, words).error?.issues.map((issue) => issue.message)).toEqual([message]);
});

test('every list can be written so that it is read as it was', () => {
  const value = fc.oneof(fc.stringMatching(/^[a-c!,\\]{1,6}$/), fc.stringMatching(/^\\{0,3}all$/));
  const values = fc.uniqueArray(value, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(values, fc.boolean(), (given, isNegated) => {
      expect(read(formatList({ values: given, isNegated })).data).toEqual({ values: given, isNegated });
    }),
  );
});
