import type { ClientSession } from 'mongoose';
import type { DomainSettings } from '@waymark/contract/domains';
import { destinationIsPrivate, urlNotAllowed, type FieldProblems } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import { isPrivateHost } from '@waymark/kernel/http/private-hosts';
import type { Domain } from './domain.js';
import { findLoopingUrls, type ServedHosts, type UrlField } from './redirect-loop.js';

/** What the host of a domain answers beside its links. */
type StoredSettings = Pick<Domain, UrlField | 'isIndexable' | 'appleAppSiteAssociation' | 'assetlinks'>;

const WIRE_NAMES = { rootUrl: 'root_url', notFoundUrl: 'not_found_url', expiredUrl: 'expired_url' } as const;

const NOT_SERVED_HERE = 'not lead to this domain, or to any host that serves links';

/** Returns the settings of a body as they are stored, without the absent ones. */
export function storedSettings(input: DomainSettings): Partial<StoredSettings> {
  const settings: { [F in keyof StoredSettings]: StoredSettings[F] | undefined } = {
    rootUrl: input.root_url,
    notFoundUrl: input.not_found_url,
    expiredUrl: input.expired_url,
    isIndexable: input.indexable,
    appleAppSiteAssociation: textOf(input.apple_app_site_association),
    assetlinks: textOf(input.assetlinks),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Returns the problems of URLs in a private network, which visitors must not be sent to. */
export function privateUrlProblems(input: DomainSettings): FieldProblems {
  const isPrivate = (url: string | null | undefined) => url != null && isPrivateHost(URL.parse(url)?.hostname ?? '');
  const names = Object.values(WIRE_NAMES).filter((name) => isPrivate(input[name]));
  return Object.fromEntries(names.map((name) => [name, [destinationIsPrivate(name)]]));
}

const textOf = (file: object | null | undefined) => file && JSON.stringify(file);

/** @throws AppError `validation_failed` for URLs that could cause a redirect loop; call it in the transaction that sets them */
export async function refuseLoops(
  ctx: ServedHosts,
  urls: Pick<Domain, 'hostname'> & Partial<StoredSettings>,
  session: ClientSession,
): Promise<void> {
  const looping = await findLoopingUrls(ctx, urls, session);
  if (looping.length === 0) return;
  const names = looping.map((field) => WIRE_NAMES[field]);
  throw invalid(Object.fromEntries(names.map((name) => [name, [urlNotAllowed(name, NOT_SERVED_HERE)]])));
}
