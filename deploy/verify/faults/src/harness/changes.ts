import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { backing, type ProcessName } from '@waymark/launcher/process-table';
import { callApi, type Environment } from './environment.js';

const TIMEOUT_MS = 15_000;

/** One kind of change: the request for it, which carries a unique mark, and where the mark is stored. */
interface Kind {
  method: string;
  path: (environment: Environment) => string;
  body: (mark: string, environment: Environment) => object;
  stored?: { in: ProcessName; collection: string; field: string };
}

/** Returns a kind of change for each service that stores changes. */
async function kindsOf(environment: Environment): Promise<Kind[]> {
  const hook = { url: 'http://127.0.0.1:65535/hook', event_types: ['link.import_completed'] };
  const { id } = (await callApi(environment.demo, 'POST', '/webhooks', hook)).data as { id: string };
  const create = (path: string, body: Kind['body'], stored: Kind['stored']): Kind => ({
    method: 'POST',
    path: () => path,
    body,
    stored,
  });
  return [
    create('/links', (title) => ({ destination_url: 'https://example.com', title }), {
      in: 'resource',
      collection: 'links',
      field: 'title',
    }),
    create('/tokens', (name) => ({ name }), { in: 'auth', collection: 'tokens', field: 'name' }),
    create('/conversions', (source) => ({ id: environment.links[0]!.id, source }), {
      in: 'analytics',
      collection: 'conversions',
      field: 'source',
    }),
    create('/domains', (mark) => ({ hostname: `${mark}.example.com` }), {
      in: 'domain',
      collection: 'domains',
      field: 'hostname',
    }),
    { method: 'PATCH', path: () => `/webhooks/${id}`, body: (description) => ({ description }) },
  ];
}

const MARK = /m\d+-[a-z0-9]+/;

/** Changes something in every service continuously, each change with a mark, and records which were answered. */
export class Changes {
  readonly answered = new Set<string>();
  private readonly open = new Set<Promise<void>>();
  private readonly run = Math.random().toString(36).slice(2, 8);
  private sent = 0;
  private stopped = false;
  private running?: Promise<void>;

  private constructor(
    private readonly environment: Environment,
    private readonly kinds: Kind[],
  ) {}

  static async start(environment: Environment, perSecond: number): Promise<Changes> {
    const changes = new Changes(environment, await kindsOf(environment));
    changes.running = changes.loop(perSecond);
    return changes;
  }

  get attempted(): number {
    return this.sent;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await Promise.all(this.open);
  }

  /** Returns the stored marks of the kinds that keep them. */
  async stored(): Promise<Set<string>> {
    const marks = new Set<string>();
    for (const { stored } of this.kinds) {
      if (!stored) continue;
      await withDatabase(this.environment, stored.in, async (database) => {
        for await (const row of database.collection(stored.collection).find({})) {
          const [mark] = MARK.exec(String(row[stored.field])) ?? [];
          if (mark) marks.add(mark);
        }
      });
    }
    return marks;
  }

  /** True when a change with this mark would be among `stored`. */
  isKept(mark: string): boolean {
    const index = Number(/\d+/.exec(mark)![0]) - 1;
    return this.kinds[index % this.kinds.length]!.stored !== undefined;
  }

  /** Returns how often the audit log has each mark as a new value. */
  async entered(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    await withDatabase(this.environment, 'audit', async (database) => {
      const entries = database.collection<{ changes: string; target: { label: string } }>('log_entries').find({});
      for await (const { changes, target } of entries) {
        const values = Object.values(JSON.parse(changes) as Record<string, { to: unknown }>).map(({ to }) => to);
        const [mark] = MARK.exec(JSON.stringify([values, target?.label])) ?? [];
        if (mark) counts.set(mark, (counts.get(mark) ?? 0) + 1);
      }
    });
    return counts;
  }

  /** Events that no queue has taken yet. */
  async waiting(): Promise<number> {
    let count = 0;
    for (const name of ['auth', 'resource', 'analytics', 'webhook', 'domain'] as const) {
      await withDatabase(this.environment, name, async (database) => {
        count += await database.collection('outbox').countDocuments({});
      });
    }
    return count;
  }

  private async loop(perSecond: number): Promise<void> {
    const startedAt = performance.now();
    while (!this.stopped) {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
      while (this.sent < due) this.send();
      await sleep(10);
    }
  }

  private send(): void {
    const { demo } = this.environment;
    const kind = this.kinds[this.sent % this.kinds.length]!;
    const mark = `m${(this.sent += 1)}-${this.run}`;
    const request = fetch(`${demo.base_url}/api/v1/workspaces/${demo.workspace}${kind.path(this.environment)}`, {
      method: kind.method,
      headers: { authorization: `Bearer ${demo.users['owner']!.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(kind.body(mark, this.environment)),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
      .then(async (response) => {
        await response.arrayBuffer();
        if (response.ok) this.answered.add(mark);
      })
      // No answer: the change may or may not have happened, which the report looks up later.
      .catch(() => undefined);
    this.open.add(request);
    void request.then(() => this.open.delete(request));
  }
}

async function withDatabase(
  { system }: Environment,
  name: ProcessName,
  work: (database: mongoose.Connection) => Promise<void>,
): Promise<void> {
  const uri = backing(system.settings, name)['MONGODB_URI']!;
  const database = await mongoose.createConnection(uri, { maxPoolSize: 1 }).asPromise();
  try {
    await work(database);
  } finally {
    await database.close();
  }
}
