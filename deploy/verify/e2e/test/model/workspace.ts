import { waitFor } from '@waymark/testing/wait-for';
import { Receiver } from '../../src/receiver.js';
import type { Caller } from '../api/caller.js';
import type { Outcome } from './reference.js';

const AT_EDGE_WITHIN_MS = 15_000;

export interface Answer {
  outcome: Outcome;
  body: any;
}

/** A separate workspace in the running system, and its items in the reference's order. */
export class Workspace {
  readonly links: string[] = [];
  readonly tokens: { id: string; plaintext: string }[] = [];

  private constructor(
    private readonly caller: Caller,
    readonly slug: string,
    readonly receiver: Receiver,
  ) {}

  static async create(caller: Caller, slug: string): Promise<Workspace> {
    const workspace = new Workspace(caller, slug, await Receiver.start());
    await caller.made('POST', '/workspaces', { slug, name: slug }, 'browser');
    const { body } = await workspace.call(undefined, 'POST', '/webhooks', {
      url: workspace.receiver.url,
      event_types: ['link.created', 'link.updated', 'link.archived', 'link.reactivated', 'link.deleted'],
    });
    workspace.receiver.useSecret(body.meta.signing_secret);
    return workspace;
  }

  /** @param token which of `tokens` asks; the owner's browser unless given */
  async call(token: number | undefined, method: string, path: string, body?: unknown, more = {}): Promise<Answer> {
    const bearer = token === undefined ? undefined : `Bearer ${this.tokens[token]!.plaintext}`;
    const { status, body: answer } = await this.caller.call(method, `/workspaces/${this.slug}${path}`, {
      body,
      headers: { ...more, ...(bearer && { authorization: bearer }) },
      as: bearer ? 'nobody' : 'browser',
    });
    const field = status === 422 ? ` ${Object.keys(answer.error.details).find((name) => name !== 'reason')}` : '';
    return { outcome: `${status}${field}`, body: answer };
  }

  /** Waits for the expected answer, since changes reach the edge a moment later. The visits do not count as scans. */
  async visit(code: string, expected: string): Promise<void> {
    const url = `${this.caller.demo.short_url}/${code}`;
    let met = '';
    await waitFor(
      `${code} to be answered ${expected}`,
      async () => {
        const { status, headers } = await fetch(url, { method: 'HEAD', redirect: 'manual' });
        met = [status, headers.get('location')].filter(Boolean).join(' ');
        if (met !== expected) throw new Error(`it is answered ${met}`);
        return true;
      },
      AT_EDGE_WITHIN_MS,
    );
  }
}
