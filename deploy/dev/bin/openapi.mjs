// `npm run openapi`: writes the OpenAPI document of each deployment, of which the types of the client are made.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deployment } from '../../../shared/contract/dist/deployments.js';
import { documentFile } from '../../../gateway/dist/openapi/document-file.js';
import { root } from './prepare.mjs';

const folder = join(root, 'docs/api');
mkdirSync(folder, { recursive: true });
for (const name of deployment.options) writeFileSync(join(folder, `${name}.openapi.json`), documentFile(name));
