import { emailAddress } from '@waymark/contract/users';

const NOT_AN_ADDRESS = 'The email must be an e-mail address.';

test.each([
  [' ada@field.example', 'ada@field.example'],
  ['ada@field.example\r\n', 'ada@field.example'],
  ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
  ['Ada@MÜNCHEN.example', 'Ada@xn--mnchen-3ya.example'],
  [`${'a'.repeat(64)}@field.example`, `${'a'.repeat(64)}@field.example`],
])('the address %j is stored as %j', (given, stored) => {
  expect(emailAddress.parse(given)).toBe(stored);
});

test.each([
  [`${'a'.repeat(65)}@field.example`, 'The email must be at most 64 characters before the @.'],
  [`a@${'b'.repeat(300)}.example`, 'The email must be at most 254 characters.'],
  ['ada@mün chen.example', NOT_AN_ADDRESS],
  ['ada@münchen.example/path', NOT_AN_ADDRESS],
  ['ada@münchen.example:25', NOT_AN_ADDRESS],
  ['adä@field.example', NOT_AN_ADDRESS],
  ['münchen.example', NOT_AN_ADDRESS],
])('the address %j is refused', (given, message) => {
  expect(emailAddress.safeParse(given).error?.issues).toEqual([expect.objectContaining({ message })]);
});
