import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from 'mongoose';

/** Returns the collections with a document that has one of the texts in any of its fields. */
export async function findCollectionsWith(database: Connection, texts: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const { name: collection } of await database.listCollections()) {
    for await (const document of database.collection(collection).find({})) {
      if (hasAny(JSON.stringify(document), texts)) found.add(collection);
    }
  }
  return [...found].sort();
}

/** Returns the tables of a ClickHouse database with a row that has one of the texts in any of its columns. */
export async function findTablesWith(clickHouseUrl: string, texts: readonly string[]): Promise<string[]> {
  const { origin, username, password, pathname } = new URL(clickHouseUrl);
  const headers = { 'x-clickhouse-user': username || 'default', 'x-clickhouse-key': decodeURIComponent(password) };
  const ask = async (query: string): Promise<string> => {
    const response = await fetch(`${origin}/?database=${pathname.slice(1)}`, { method: 'POST', headers, body: query });
    const text = await response.text();
    if (!response.ok) throw new Error(`ClickHouse answered ${response.status}: ${text}`);
    return text;
  };
  const names = await ask('SELECT name FROM system.tables WHERE database = currentDatabase() FORMAT TabSeparated');
  const found: string[] = [];
  for (const name of names.split('\n').filter(Boolean)) {
    if (hasAny(await ask(`SELECT * FROM \`${name}\` FORMAT JSONEachRow`), texts)) found.push(name);
  }
  return found;
}

/** Returns the files below a folder that have one of the texts. */
export function findFilesWith(folder: string, texts: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => hasAny(readFileSync(path, 'utf8'), texts));
}

const hasAny = (text: string, texts: readonly string[]): boolean => texts.some((each) => text.includes(each));
