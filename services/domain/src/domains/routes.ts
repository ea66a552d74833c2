import { missing } from '@waymark/kernel/errors';
import type { DomainSettings } from '@waymark/contract/domains';
import type { Checks, Handlers } from '@waymark/kernel/http/api';
import { created, item, listOrPage, mapPage, noContent } from '@waymark/kernel/http/reply';
import { privateUrlProblems } from './domain-settings.js';
import { deleteDomain } from './delete-domain.js';
import { presentDomain, presentListedDomain, type Domain } from './domain.js';
import { registerDomain, type RegisterContext } from './register-domain.js';
import { requestCheck, type RequestCheckContext } from './request-check.js';
import { updateDomain } from './update-domain.js';

/** Cap of a list without pages: a plan may have no limit. */
const LIST_MAX = 1000;

export function domainChecks({ allowsPrivate }: { allowsPrivate: boolean }): Checks<'domain'> {
  const check = ({ body }: { body: DomainSettings }) => (allowsPrivate ? {} : privateUrlProblems(body));
  return { 'domains.create': check, 'domains.update': check };
}

export function domainHandlers(
  ctx: RegisterContext & RequestCheckContext & { cnameTarget: string },
): Handlers<'domain'> {
  const present = (domain: Domain) => presentDomain(domain, ctx.cnameTarget);
  return {
    'domains.list': ({ query, workspace, url }) =>
      listOrPage({ query, url, max: LIST_MAX }, async (page) =>
        mapPage(await ctx.domains.listPage(workspace.slug, page), (domain) =>
          presentListedDomain(domain, ctx.cnameTarget),
        ),
      ),
    'domains.create': ({ body, workspace, eventContext, url, once }) =>
      once(
        () => registerDomain(ctx, eventContext, { workspace, input: body }),
        (domain: Domain) => created(present(domain), new URL(`${url.pathname}/${domain._id}`, url)),
      ),
    'domains.show': async ({ params, workspace }) => {
      const domain = await ctx.domains.domainById(workspace.slug, params['id']!);
      if (!domain) throw missing('domain', params['id']!);
      return item(present(domain));
    },
    'domains.update': async ({ params, body, workspace, eventContext, condition }) => {
      const update = { workspace: workspace.slug, id: params['id']!, input: body, check: condition(present) };
      return item(present(await updateDomain(ctx, eventContext, update)));
    },
    'domains.delete': async ({ params, workspace, eventContext, condition }) => {
      const deletion = { workspace: workspace.slug, id: params['id']!, check: condition(present) };
      await deleteDomain(ctx, eventContext, deletion);
      return noContent();
    },
    'domains.verify': ({ params, workspace, eventContext, once }) =>
      once(
        () => requestCheck(ctx, eventContext, { workspace: workspace.slug, id: params['id']! }),
        (domain: Domain) => item(present(domain)),
      ),
  };
}
