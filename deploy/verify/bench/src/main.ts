import { benchAnalytics } from './analytics/bench-analytics.js';
import { benchAudit } from './audit/bench-audit.js';
import { benchContent } from './content/bench-content.js';
import { benchGateway } from './gateway/bench-gateway.js';
import { benchImport } from './import/bench-import.js';
import { benchIngest } from './ingest/bench-ingest.js';
import { benchRedirect } from './redirect/bench-redirect.js';
import { benchWebhooks } from './webhooks/bench-webhooks.js';

/** Each prints one JSON object on stdout, its progress on stderr, and says whether its targets were met. */
const BENCHMARKS: Record<string, (args: string[]) => Promise<boolean>> = {
  analytics: benchAnalytics,
  audit: benchAudit,
  content: benchContent,
  gateway: benchGateway,
  import: benchImport,
  ingest: benchIngest,
  redirect: benchRedirect,
  webhooks: benchWebhooks,
};

const [name = '', ...args] = process.argv.slice(2);
const benchmark = BENCHMARKS[name];
if (!benchmark) {
  console.error(`npm run bench -- <name>, one of: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}
benchmark(args).then(
  (passed) => process.exit(passed ? 0 : 1),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
