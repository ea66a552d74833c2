import { InvalidArgumentError, Option } from 'commander';
import { benchAnalytics } from './analytics/bench-analytics.js';
import { benchApi } from './api/bench-api.js';
import { benchGateway } from './gateway/bench-gateway.js';
import { benchIngest } from './ingest/bench-ingest.js';
import { benchRedirect } from './redirect/bench-redirect.js';
import { benchSlo } from './slo/bench-slo.js';
import { benchWebhooks } from './webhooks/bench-webhooks.js';

interface Benchmark<Values> {
  summary: string;
  options: Option[];
  /** Prints one JSON object on stdout and the progress on stderr. @returns whether the targets were met */
  run: (values: Values) => Promise<boolean>;
}

const benchmark = <Values>(
  summary: string,
  run: (values: Values) => Promise<boolean>,
  options: Option[],
): Benchmark<never> => ({ summary, options, run });

/** An option with a whole number of at least one. */
const count = (name: string, description: string, byDefault: number): Option =>
  new Option(`--${name} <number>`, description).argParser(parseCount).default(byDefault);

function parseCount(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

const rounds = (byDefault: number): Option => count('rounds', 'rounds of each contender, in turn', byDefault);

export const BENCHMARKS: Readonly<Record<string, Benchmark<never>>> = {
  analytics: benchmark('figures of 30 days, against the same queries sent to ClickHouse', benchAnalytics, [
    rounds(20),
    new Option('--sizes <numbers>', 'scans of each workspace, with commas between them')
      .argParser((text) => text.split(',').map(parseCount))
      .default([10_000, 1_000_000, 20_000_000], '10000,1000000,20000000'),
    count('minutes', 'no further round of a size begins after this time', 10),
  ]),
  api: benchmark('each kind of API call in a filled installation, against the same call with least to do', benchApi, [
    rounds(3),
    count('requests', 'requests of a round', 400),
    count('links', 'links of the large workspace, and entries of its audit log', 100_000),
  ]),
  gateway: benchmark('an authenticated request through the gateway, against a bare proxy', benchGateway, [
    rounds(3),
    count('requests', 'requests of a round', 20_000),
  ]),
  ingest: benchmark('scans from the queue to the figures, against insertMany of the same rows', benchIngest, [
    rounds(3),
    count('scans', 'scans of a round', 100_000),
  ]),
  redirect: benchmark('the redirect, against a bare server', benchRedirect, [
    rounds(3),
    count('requests', 'requests of a round', 100_000),
  ]),
  slo: benchmark('visits at a fixed rate in a filled installation, and how far the figures are behind', benchSlo, [
    count('links', 'links of the installation', 100_000),
    count('scans', 'scans that are stored and loaded before', 5_000_000),
    count('rate', 'visits a second', 2000),
    count('seconds', 'duration of the visits', 120),
  ]),
  webhooks: benchmark('deliveries of webhooks, against a bare loop', benchWebhooks, [
    rounds(3),
    count('events', 'events of a round', 1500),
  ]),
};
