import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deployment } from '@waymark/contract/deployments';
import { openApiDocument } from '@waymark/gateway/openapi/document';

const FOLDER = join(__dirname, '../src/generated');
const HEAD = '// Generated from the OpenAPI document: npm run client:generate\n\n';

/** Writes the types of every deployment; with `--check` it only says whether they are those of the document. */
async function main(isCheck: boolean): Promise<void> {
  // The generator is an ES module.
  const { astToString, default: generate } = await import('openapi-typescript');
  for (const each of deployment.options) {
    const document = JSON.stringify(openApiDocument(each));
    const text = HEAD + astToString(await generate(document, { excludeDeprecated: true }));
    const file = join(FOLDER, `${each}.ts`);
    if (!isCheck) writeFileSync(file, text);
    else if (readFileSync(file, 'utf8') !== text) throw new Error(`${file} is not what the document says.`);
  }
}

main(process.argv.includes('--check')).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
