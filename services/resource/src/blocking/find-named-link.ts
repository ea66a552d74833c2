import { toHostname } from '@waymark/contract/hostname';
import { withoutPort } from '@waymark/contract/short-hosts';
import { invalidOption } from '@waymark/kernel/errors';
import type { CodeStore } from '../links/code-store.js';
import type { Link } from '../links/link.js';
import type { LinkStore } from '../links/link-store.js';

interface NamedContext {
  codes: CodeStore;
  links: LinkStore;
  shortHosts: ReadonlySet<string>;
}

const ID = /^(?:lnk|qr)_[0-9A-Z]+$/;
const SHORT_URL_PATH = /^\/(?:q\/)?([\w-]{1,64})\/?$/i;

/** Finds a link by its id or short URL, which may be a former one. @throws AppError if there is none */
export async function findNamedLink(ctx: NamedContext, name: string): Promise<Link> {
  const link = await (ID.test(name) ? ctx.links.findAnyLink(name) : findByShortUrl(ctx, name));
  if (!link) throw invalidOption('link', 'The link does not exist. Name it by its id or its short URL.');
  return link;
}

async function findByShortUrl({ codes, links, shortHosts }: NamedContext, text: string): Promise<Link | null> {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const shortCode = SHORT_URL_PATH.exec(url?.pathname ?? '')?.[1];
  if (!url || shortCode === undefined) return null;
  const isDefault = shortHosts.has(url.host) || shortHosts.has(withoutPort(url.host));
  const hostname = isDefault ? null : toHostname(url.hostname);
  if (!isDefault && hostname === null) return null;
  const owner = await codes.findOwner({ hostname, shortCode });
  return owner?.linkId ? links.findAnyLink(owner.linkId) : null;
}
