// `npm run roles`: writes the table of routes and roles into the documentation.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withRolesTable } from '../../../shared/contract/dist/roles-table.js';

const page = fileURLToPath(new URL('../../../docs/roles.md', import.meta.url));
writeFileSync(page, withRolesTable(readFileSync(page, 'utf8')));
