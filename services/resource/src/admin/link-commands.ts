import { z } from 'zod';
import { shortHostConfig, shortHosts } from '@waymark/contract/short-hosts';
import { argumentOption, type Command } from '@waymark/kernel/command-line/command';
import { publishEvents, type PublishedEvents } from '@waymark/kernel/command-line/publish-events';
import { withDatabase } from '@waymark/kernel/command-line/with-database';
import type { Database } from '@waymark/kernel/mongo/database';
import { databaseConfig, loadConfig, processConfig } from '@waymark/kernel/process/config';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import {
  blockHost,
  blockLink,
  toBlockedHost,
  unblockHost,
  unblockLink,
  type OperatorContext,
} from '../blocking/operator-blocks.js';
import { HostBlockStore } from '../destinations/host-block-store.js';
import { DomainStore } from '../domains/domain-store.js';
import { CodeStore } from '../links/code-store.js';
import { CONTENT_TYPES } from '../links/content-type.js';
import { blockedOf, shortUrl, type Link } from '../links/link.js';
import { LinkStore } from '../links/link-store.js';
import { createStatusCounts } from '../links/status-counts.js';
import { openOrganizeStores } from '../organize/stores.js';

const adminConfig = processConfig.extend({ ...databaseConfig.shape, ...shortHostConfig.shape });

interface CommandContext extends OperatorContext {
  published: PublishedEvents;
}

const link = argumentOption(
  z.string().trim().min(1).max(2048).optional().describe('id or short URL of the link, or of the QR code'),
);
const host = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .optional()
  .describe('host that no link may lead to, with its subdomains, in place of a link');
const reason = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(500)
  .describe('the reason that the members of the workspace see');

const isOne = ({ link: name, host: ofHost }: { link?: string | undefined; host?: string | undefined }) =>
  (name === undefined) !== (ofHost === undefined);
const EITHER = { path: ['link'], message: 'either a link or --host is required' };

/** What the operator cannot see from the command's end; measured, see docs/operations/abuse.md. */
const CONFIRMED = 'at every redirect within 5 seconds';
const UNCONFIRMED = 'within 5 seconds after the broker is back: it has not confirmed the event, which is stored';
const CUT_OFF = {
  link: 'a redirect without the broker reads a link again within 60 seconds of its last look',
  host: 'a redirect without the broker reads the hosts again within 5 seconds',
};

export const LINK_COMMANDS = {
  'link block': linkCommand({
    summary: 'Blocks a link, or every link to a host: visitors get 451',
    options: z.object({ link, host, reason }).refine(isOne, EITHER),
    run: async (ctx, options) => {
      if (options.host === undefined) return presentLink(ctx, await blockLink(ctx, options.link!, options.reason));
      const blocked = toBlockedHost(options.host);
      await blockHost(ctx, blocked, options.reason);
      return presentHost(ctx, { host: blocked, blocked: true, reason: options.reason });
    },
  }),
  'link unblock': linkCommand({
    summary: 'Ends the block of a link, or of a host',
    options: z.object({ link, host }).refine(isOne, EITHER),
    run: async (ctx, options) => {
      if (options.host === undefined) return presentLink(ctx, await unblockLink(ctx, options.link!));
      const freed = toBlockedHost(options.host);
      await unblockHost(ctx, freed);
      return presentHost(ctx, { host: freed, blocked: false, reason: null });
    },
  }),
};

function linkCommand<S extends z.ZodObject>(definition: {
  summary: string;
  options: S;
  run: (ctx: CommandContext, options: z.output<S>) => Promise<object>;
}): Command<NodeJS.ProcessEnv, S> {
  return {
    ...definition,
    run: (env, options) => {
      const { MONGODB_URI: uri, DEPLOYMENT: deployment, ...config } = loadConfig(adminConfig, env);
      const open = (db: Database, lifecycle: Lifecycle): CommandContext => {
        const links = new LinkStore(db);
        const contentType = CONTENT_TYPES[deployment];
        return {
          ...{ db, config, links, contentType, ...openOrganizeStores(db) },
          published: publishEvents('resource', env, { db, lifecycle }),
          shortHosts: shortHosts(config),
          hostBlocks: new HostBlockStore(db),
          codes: new CodeStore(db),
          domains: new DomainStore(db),
          counts: createStatusCounts({ db, contentType, links }, Infinity),
        };
      };
      return withDatabase(uri, open, (ctx) => definition.run(ctx, options));
    },
  };
}

async function presentLink(ctx: CommandContext, changed: Link): Promise<object> {
  const blocked = blockedOf(changed);
  return {
    id: changed._id,
    workspace: changed.workspace,
    short_url: shortUrl(changed, ctx.config.SHORT_BASE_URL),
    blocked: blocked !== null,
    reason: blocked?.reason ?? null,
    ...(await inForce(ctx, CUT_OFF.link)),
  };
}

const presentHost = async (ctx: CommandContext, state: object): Promise<object> => ({
  ...state,
  ...(await inForce(ctx, CUT_OFF.host)),
});

const inForce = async ({ published }: CommandContext, cutOff: string) => ({
  in_force: `${(await published.areConfirmed()) ? CONFIRMED : UNCONFIRMED}; ${cutOff}`,
});
