import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { BROKER_SERVICES, type BrokerService } from '@waymark/contract/broker-services';
import { typesPublishedBy, WORK_QUEUES } from '@waymark/contract/queues';
import type { RouteDefinition } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { ROOT } from '@waymark/launcher/process-table';
import { readPage } from './pages.js';

/** The words in code font of one section of a service's README. */
function namesIn(service: BrokerService, section: string): string[] {
  const { text } = readPage(`services/${service}/README.md`);
  const body = text.split(new RegExp(`^## ${section}$`, 'm'))[1]!.split(/^## /m)[0]!;
  return [...body.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!);
}

/** The collections that the source of a service names. */
function collectionsOf(service: BrokerService): string[] {
  const folder = join(ROOT, 'services', service, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return modelsIn(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  });
}

function modelsIn(node: ts.Node): string[] {
  const isModel =
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === 'model';
  const collection = isModel ? node.arguments[2] : undefined;
  const found = collection && ts.isStringLiteral(collection) ? [collection.text] : [];
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return [...found, ...children.flatMap(modelsIn)];
}

describe.each(BROKER_SERVICES)('the README of %s', (service) => {
  test('names every collection that the service declares', () => {
    const names = namesIn(service, 'Owns');
    expect(collectionsOf(service).filter((collection) => !names.includes(collection))).toEqual([]);
  });

  test('names every route of the service', () => {
    const inWorkspace = '/workspaces/{workspace}';
    const routes = (Object.values(ROUTES) as RouteDefinition[])
      .filter((route) => route.service === service)
      .map(({ path }) => (path.startsWith(`${inWorkspace}/`) ? path.slice(inWorkspace.length) : path));
    const named = namesIn(service, 'Routes').flatMap(
      (name) => /^(?:[A-Z, ]+ )?(\/[a-z][\w/{}-]*)$/.exec(name)?.[1]?.replace(`${inWorkspace}/`, '/') ?? [],
    );
    const isNamed = (path: string) => named.some((name) => path === name || path.startsWith(`${name}/`));
    expect(routes.filter((path) => !isNamed(path))).toEqual([]);
  });

  test('names every event that the service publishes, and no other', () => {
    const published = typesPublishedBy(service);
    const named = namesIn(service, 'Publishes');
    expect(published.filter((type) => !named.includes(type))).toEqual([]);
    const events = named.filter((name) => /^[a-z_]+\.[a-z_]+$/.test(name));
    expect(events.filter((type) => !published.includes(type))).toEqual([]);
  });

  test('names every queue that the service consumes', () => {
    const named = namesIn(service, 'Consumes').join(' ');
    const queues = WORK_QUEUES.filter((queue) => queue.startsWith(`${service}.`));
    expect(queues.filter((queue) => !named.includes(queue))).toEqual([]);
  });
});
