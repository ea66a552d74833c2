import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { ServiceCaller, type CallOptions, type ServiceAnswer } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startResource } from '@waymark/resource/app';
import { resourceConfig } from '@waymark/resource/config';

/** One or more processes of the service on their own database; without a broker every event stays in the outbox. */
export class ImportStack {
  readonly caller = new ServiceCaller('resource', () => this.url);
  readonly env = {
    ...freshBacking(),
    AMQP_URL: 'amqp://127.0.0.1:1',
    IDENTITY_KEY: this.caller.key,
    API_BASE_URL: 'http://api.test',
    SHORT_BASE_URL: 'http://go.test',
  };
  private readonly stops: (() => Promise<void>)[] = [];
  url = '';
  database!: Connection;

  static async start(processes = 1): Promise<ImportStack> {
    const stack = new ImportStack();
    await stack.open();
    for (let index = 0; index < processes; index += 1) await stack.addProcess();
    return stack;
  }

  /** Opens only the database. */
  async open(): Promise<void> {
    this.database = await mongoose.createConnection(this.env.MONGODB_URI).asPromise();
  }

  async addProcess(settings: Record<string, string> = {}): Promise<Server> {
    const parts = testProcess(resourceConfig, { ...this.env, ...settings });
    this.stops.push(() => parts.lifecycle.stop());
    const server = await startResource(parts);
    await this.use(urlOf(server));
    return server;
  }

  /** Sends all further requests to this URL. */
  async use(url: string): Promise<void> {
    this.url = url;
    await waitFor('the service', async () => (await this.call('GET', '/links')).status === 200);
  }

  async stop(): Promise<void> {
    for (const stop of this.stops) await stop();
    await this.database.close();
  }

  call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<ServiceAnswer> {
    return this.caller.call(method, path, { body, ...options });
  }

  send(body: unknown, options: CallOptions = {}): Promise<ServiceAnswer> {
    return this.call('POST', '/links/import', body, options);
  }

  /** Sends an import and waits for its end. @returns the job */
  async import(body: unknown, options: CallOptions = {}): Promise<any> {
    const sent = await this.send(body, options);
    if (sent.status !== 202) throw new Error(`${sent.status} ${sent.text}`);
    return this.ended(sent.body.data.id, options);
  }

  ended(id: string, options: CallOptions = {}): Promise<any> {
    return waitFor('the end of the import', async () => {
      const { data } = (await this.call('GET', `/links/imports/${id}`, undefined, options)).body;
      return data.finished_at && data;
    });
  }

  async link(fields: object, workspace = 'acme'): Promise<any> {
    const body = { destination_url: 'https://example.com', ...fields };
    const { status, body: made, text } = await this.call('POST', '/links', body, { workspace });
    if (status !== 201) throw new Error(text);
    return made.data;
  }

  async links(workspace: string): Promise<any[]> {
    return (await this.call('GET', '/links?per_page=100', undefined, { workspace })).body.data;
  }

  /** Returns the events of a workspace, in the order of their creation. */
  async emitted(workspace: string): Promise<any[]> {
    const rows = await this.database.collection('outbox').find({}).sort({ _id: 1 }).toArray();
    return rows.map(({ body }) => JSON.parse(body)).filter((event) => event.workspace === workspace);
  }
}

/** Rows that differ in their destinations. */
export const rowsOf = (count: number, fields: (index: number) => object = () => ({})): object[] =>
  Array.from({ length: count }, (_, index) => ({ destination_url: `https://example.com/${index}`, ...fields(index) }));
