import { importLinks } from '../import-links.js';
import { installResource, type ResourceInstallation } from '../resource-installation.js';
import { median } from '../figures.js';

const ROWS_AT_ONCE = 1000;

/** Rows per second of one round. */
interface Round {
  import: number;
  raw: number;
  rawIndexed: number;
}

/**
 * Compares a bulk import, from its request to its last row, with `insertMany` of the same documents:
 * into a collection without any index, and into one with the same indexes as the links have. An import also stores each
 * code, each event and the progress, and checks every row.
 */
export async function benchImport({ rounds, rows }: { rounds: number; rows: number }): Promise<boolean> {
  const installation = await installResource();
  try {
    const results: Round[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const result = await runRound(installation, round, rows);
      console.error(`round ${round}: ${JSON.stringify(result)} rows/s`);
      results.push(result);
    }
    const report = summarize(results, rows);
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    await installation.stop();
  }
}

async function runRound(installation: ResourceInstallation, round: number, rows: number): Promise<Round> {
  const workspace = `bench-${round}`;
  const importSeconds = await importRows(installation, workspace, rows);
  const { database } = installation;
  const documents = await database.collection('links').find({ workspace }).toArray();
  if (documents.length !== rows) throw new Error(`${documents.length} of ${rows} links were made`);
  const insert = async (name: string): Promise<number> => {
    const startedAt = performance.now();
    for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
      await database.collection(name).insertMany(documents.slice(from, from + ROWS_AT_ONCE));
    }
    return rows / ((performance.now() - startedAt) / 1000);
  };
  await copyIndexes(installation, `raw-indexed-${round}`);
  const raw = await insert(`raw-${round}`);
  const rawIndexed = await insert(`raw-indexed-${round}`);
  return { import: Math.round(rows / importSeconds), raw: Math.round(raw), rawIndexed: Math.round(rawIndexed) };
}

async function importRows(installation: ResourceInstallation, workspace: string, rows: number): Promise<number> {
  const startedAt = performance.now();
  const rowOf = (index: number) => ({
    destination_url: `https://example.com/campaign/${index}?ref=import`,
    short_code: `${workspace}-${index}`,
    title: `Link number ${index}`,
    campaign_tag: 'spring-26',
    utm_defaults: { utm_source: 'newsletter', utm_medium: 'email' },
  });
  await importLinks(installation, { workspace, rows, rowOf });
  return (performance.now() - startedAt) / 1000;
}

async function copyIndexes({ database }: ResourceInstallation, name: string): Promise<void> {
  const indexes = await database.collection('links').indexes();
  const own = indexes.filter((index) => index.name !== '_id_');
  await database.createCollection(name);
  await database
    .collection(name)
    .createIndexes(own.map(({ key, name: called, unique }) => ({ key, name: called, ...(unique && { unique }) })));
}

function summarize(rounds: Round[], rows: number) {
  const middle = (key: keyof Round) => median(rounds.map((round) => round[key]));
  const ratio = (key: keyof Round) => Number((middle('import') / middle(key)).toFixed(2));
  return {
    benchmark: 'import',
    rows,
    rows_per_second: {
      import: middle('import'),
      raw_insert: middle('raw'),
      raw_insert_same_indexes: middle('rawIndexed'),
    },
    ratio: ratio('raw'),
    ratio_same_indexes: ratio('rawIndexed'),
    rounds,
    passed: rounds.length > 0,
  };
}
