import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';
import { plantProject } from './planted-project.js';

const text = { type: 'string' };
const contact = { name: 'Operator' };
const info = {
  title: 'Things',
  version: '1',
  description: 'All.',
  contact,
  license: { name: 'MIT', identifier: 'MIT' },
};
const answer = { '200': { $ref: '#/components/responses/thing' } };

/** Each part lacks its description. A Redocly rule wants a 4xx response, too. */
const PLANTED = {
  openapi: '3.1.1',
  info,
  servers: [{ url: '/' }],
  tags: [{ name: 'Things' }],
  paths: {
    '/things/{id}': {
      put: {
        operationId: 'put_thing',
        summary: 'Put a thing',
        tags: ['Things'],
        security: [],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: text },
          { $ref: '#/components/parameters/search' },
        ],
        requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { inline: text } } } } },
        responses: answer,
      },
    },
  },
  webhooks: {
    changed: {
      post: {
        operationId: 'changed',
        summary: 'A thing has changed',
        tags: ['Things'],
        security: [],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
        responses: { '200': { description: '' } },
      },
    },
  },
  components: {
    headers: { Shared: { schema: text } },
    parameters: { search: { name: 'search', in: 'query', schema: text } },
    responses: {
      thing: {
        description: '',
        headers: { Own: { schema: text }, Shared: { $ref: '#/components/headers/Shared' } },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
      },
    },
    schemas: {
      Part: { type: 'object', description: 'A part.' },
      Thing: { type: 'object', properties: { name: text, part: { $ref: '#/components/schemas/Part' } } },
    },
  },
};

const REPORTED = {
  'operation-4xx-response': 1,
  'tag-description': 1,
  'waymark-header-description': 2,
  'waymark-operation-description': 2,
  'waymark-parameter-description': 2,
  'waymark-property-description': 2,
  'waymark-request-body-description': 2,
  'waymark-response-description': 2,
  'waymark-schema-description': 1,
};

test('every part of the API without a description is reported, and nothing else', () => {
  const folder = plantProject({ 'planted.openapi.json': JSON.stringify(PLANTED, undefined, 2) }, []);
  try {
    const args = [join(ROOT, 'deploy/dev/bin/lint-api.mjs'), join(folder, 'planted.openapi.json')];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const rules = stderr.split('\n').flatMap((line) => / ([a-z\d-]+) "/.exec(line)?.[1] ?? []);
    const counts = Object.fromEntries(
      [...new Set(rules)].map((rule) => [rule, rules.filter((each) => each === rule).length]),
    );
    expect({ status, counts }).toEqual({ status: 1, counts: REPORTED });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
