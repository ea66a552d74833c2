import { toText } from '@waymark/kernel/command-line/text';

const lines = (result: unknown) => toText(result).split('\n');

test('shows a list as an aligned table, and absent values as dashes', () => {
  expect(
    lines([
      { id: 'usr_1', name: 'Ada', last_used_at: null },
      { id: 'usr_100', name: 'Grace Hopper' },
    ]),
  ).toEqual(['ID       NAME          LAST USED AT', 'usr_1    Ada           -', 'usr_100  Grace Hopper  -']);
});

test('shows an object as aligned fields, and nested ones below their name', () => {
  const result = { repaired: false, left_out: undefined, scans: { days: 2, wrong_days: [] }, owners: ['a', 'b'] };
  expect(lines(result)).toEqual(['repaired: no', 'scans:', '  days:       2', '  wrong days: none', 'owners:   a, b']);
});

test('shows rows that have lists of their own one below the other', () => {
  const rows = [
    { host: 'a.example', links: [{ id: 'lnk_1', scans: 2 }] },
    { host: 'b.example', links: [] },
  ];
  const shown = ['host: a.example', 'links:', '  ID     SCANS', '  lnk_1  2', '', 'host:  b.example', 'links: none'];
  expect(lines(rows)).toEqual(shown);
  const page = { page: 1, last_page: 1, total: 2 };
  expect(lines({ data: rows, meta: page })).toEqual([...shown, '', '2 in all, page 1 of 1']);
});

test('says of an object without fields that there is none', () => {
  expect(lines({ redirect: { is_complete: true, removed: {} } })).toEqual([
    'redirect:',
    '  is complete: yes',
    '  removed:     none',
  ]);
});

test.each([
  [{ page: 1, last_page: 3, total: 101 }, '101 in all, page 1 of 3; --page 2 shows more'],
  [{ page: 3, last_page: 3, total: 101 }, '101 in all, page 3 of 3'],
])('says below the page %j how many there are', (meta, last) => {
  expect(lines({ data: [{ id: 1 }], meta })).toEqual(['ID', '1', '', last]);
});

test.each([[[]], [{ data: [], meta: { page: 1, last_page: 1, total: 0 } }]])(
  'says of %j that there is none',
  (list) => {
    expect(lines(list)[0]).toBe('none');
  },
);

test('shows control characters and marks of direction, so that a name cannot change the screen', () => {
  expect(toText({ name: 'a\u001b[2Jb\n\u202ec\u0085' })).toBe('name: a\\u001b[2Jb\\u000a\\u202ec\\u0085');
});

test('times are shown, in fields and in tables', () => {
  const created_at = new Date('2026-11-23T12:00:00Z');
  expect(toText({ created_at })).toBe('created at: 2026-11-23T12:00:00.000Z');
  expect(toText([{ created_at }])).toBe('CREATED AT\n2026-11-23T12:00:00.000Z');
});
