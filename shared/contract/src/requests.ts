import { z } from 'zod';
import { auditHead, destinationBlock, domainSnapshot, linkSnapshot } from './events.js';
import { explanation } from './explain.js';
import { plan, planName } from './plans.js';
import { resourceUsage } from './quota.js';
import type { RequestDefinition } from './request.js';

const define = <Q extends z.ZodType, A extends z.ZodType>(
  name: string,
  question: Q,
  answer: A,
): RequestDefinition<z.infer<Q>, z.infer<A>> => ({
  name,
  question: question as z.ZodType<z.infer<Q>>,
  answer: answer as z.ZodType<z.infer<A>>,
});

/** The workspace of the code or host was erased: visitors get 410. Services of 0.1.0 do not tell. */
const isGone = z.boolean().optional();

/** Redirect asks resource for a code that its own read model does not hold (yet). */
export const resolveCode = define(
  'resource.resolve_code',
  z.object({ hostname: z.string().nullable(), short_code: z.string() }),
  z.object({
    target: z.object({ workspace: z.string(), link: linkSnapshot }).nullable(),
    is_gone: isGone,
    /** The blocks of hosts that the link leads to: the asking process may not know them yet. */
    destination_blocks: z.array(destinationBlock).optional(),
  }),
);

/** Hosts that the operator may block: the answer about all of them is one message. */
export const DESTINATION_BLOCKS_MAX = 10_000;

/** Redirect asks for every block of a destination host, also a lifted one: its database may have lost them. */
export const findDestinationBlocks = define(
  'resource.find_destination_blocks',
  z.object({}),
  z.object({ blocks: z.array(destinationBlock).max(DESTINATION_BLOCKS_MAX) }),
);

/**
 * Resource asks the redirect what a visitor would get. A link of another workspace is explained as if it did not exist.
 * `link_id` is that of the link at the URL, if there is one.
 */
export const explainVisit = define(
  'redirect.explain_visit',
  z.object({
    workspace: z.string(),
    url: z.string(),
    user_agent: z.string(),
    at: z.iso.datetime(),
  }),
  z.object({ explanation, link_id: z.string().nullable() }),
);

export const FOUND_LINKS_MAX = 100;

/** A service that keeps a copy of the links asks for one that its copy does not hold (yet). */
export const findLink = define(
  'resource.find_link',
  z.object({ workspace: z.string(), by: z.enum(['id', 'short_code']), value: z.string() }),
  z.object({ link: linkSnapshot.nullable() }),
);

/** Asks for several links; the answer omits unknown links, and deleted tags and folders. */
export const findLinks = define(
  'resource.find_links',
  z.object({ workspace: z.string(), ids: z.array(z.string()).max(FOUND_LINKS_MAX) }),
  z.object({ links: z.array(linkSnapshot) }),
);

/** Resource asks for a domain, from which a link is to be served. */
export const findDomain = define(
  'domain.find_domain',
  z.object({ workspace: z.string(), id: z.string() }),
  z.object({ domain: domainSnapshot.nullable() }),
);

/** Redirect asks for the owner of a host missing in its read model; only a host that serves links has an owner. */
export const resolveHost = define(
  'domain.resolve_host',
  z.object({ hostname: z.string() }),
  z.object({ owner: z.object({ workspace: z.string(), domain: domainSnapshot }).nullable(), is_gone: isGone }),
);

/** The plan that a workspace has now; `null` for one that auth does not know. */
export const findPlan = define(
  'auth.find_plan',
  z.object({ workspace: z.string() }),
  z.object({ plan: planName.nullable() }),
);

/**
 * Audit asks for the highest end of a log that auth has kept, and when the workspace was created; both are `null` for a
 * workspace that auth does not know.
 */
export const findAuditHead = define(
  'auth.find_audit_head',
  z.object({ workspace: z.string() }),
  z.object({ head: auditHead.nullable(), created_at: z.iso.datetime().nullable() }),
);

/** Auth asks each service how many things a workspace has of those that the service counts and limits. */
const usageQuestion = z.object({ workspace: z.string(), plan });
const usageAnswer = z.object({ usage: z.record(z.string(), resourceUsage) });
export const findContentUsage = define('resource.find_usage', usageQuestion, usageAnswer);
export const findDomainUsage = define('domain.find_usage', usageQuestion, usageAnswer);
export const findWebhookUsage = define('webhook.find_usage', usageQuestion, usageAnswer);
