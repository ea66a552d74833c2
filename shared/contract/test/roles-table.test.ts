import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withRolesTable } from '@waymark/contract/roles-table';

test('the page of roles shows every route as it is', () => {
  const page = readFileSync(join(__dirname, '../../../docs/roles.md'), 'utf8');
  expect(page).toContain('| `DELETE …/links/{id}` | a member with the ability `write` | ✓ |  |  |  |  | links |');
  expect(page).toBe(withRolesTable(page));
});
