import type { Locator, Page } from 'playwright-core';
import { ROUTES } from '@waymark/contract/routes';
import { isServedIn, type RouteDefinition } from '@waymark/contract/route';
import { role, type Role } from '@waymark/contract/roles';
import { waitUntilLoaded } from './browser.js';
import type { ConsoleTests } from './context.js';

type Find = (page: Page) => Locator;

const button =
  (name: RegExp): Find =>
  (page) =>
    page.getByRole('button', { name });
const itemOfLink =
  (name: string): Find =>
  (page) =>
    page.getByRole('menuitem', { name, exact: true });

/** What each page offers to do, by the route that it uses. */
const ACTIONS: Record<string, Record<string, Find>> = {
  links: {
    'links.create': (page) => page.getByLabel('Destination address'),
    'links.bulk': (page) => page.getByRole('checkbox').first(),
    'links.update': itemOfLink('Archive'),
    'links.delete': itemOfLink('Delete'),
  },
  folders: {
    'folders.create': button(/^Create folder$/),
    'folders.update': button(/^Edit /),
    'folders.delete': button(/^Delete /),
  },
  'folders/tags': {
    'tags.create': button(/^Create tag$/),
    'tags.update': button(/^Edit /),
    'tags.delete': button(/^Delete /),
  },
  'folders/templates': {
    'utm_templates.create': button(/^Create template$/),
    'utm_templates.update': button(/^Edit /),
    'utm_templates.delete': button(/^Delete /),
  },
  import: { 'imports.create': button(/^Choose a file$/) },
  domains: {
    'domains.create': button(/^Add domain$/),
    'domains.verify': button(/^Check again/),
    'domains.update': button(/^Edit /),
    'domains.delete': button(/^Delete the domain/),
  },
  webhooks: { 'webhooks.create': button(/^Add endpoint$/) },
  tokens: { 'tokens.create': button(/^Create token$/), 'tokens.revoke': button(/^Revoke token /) },
  members: {
    'members.update': button(/^Change role: /),
    'members.remove': button(/^Remove /),
    'invitations.create': button(/^Invite a colleague$/),
    'invitations.delete': button(/^Withdraw the invitation/),
  },
  settings: {
    'workspaces.update': button(/^Save changes$/),
    'members.leave': button(/^Leave the workspace$/),
    'workspaces.delete': button(/^Delete the workspace$/),
  },
};

/** Changes that the console offers below a page that the role cannot open, or does not offer, with the reason. */
const ELSEWHERE: Record<string, string> = {
  'webhooks.update': 'below the list of endpoints, which needs the same role',
  'webhooks.delete': 'below the list of endpoints, which needs the same role',
  'webhooks.test': 'below the list of endpoints, which needs the same role',
  'webhooks.retry_delivery': 'below the list of endpoints, which needs the same role',
  'webhooks.replay': 'below the list of endpoints, which needs the same role',
  'conversions.record': 'for programs',
  'links.explain': 'on the page of a link, for every role',
  'members.add': 'the page of members invites by a link',
};

/** What every user may do with the own account, by the route that it uses, and the page that offers it. */
const ACCOUNT: Record<string, [page: string, find: Find]> = {
  'user.update': ['profile', button(/^Save changes$/)],
  'user.changePassword': ['profile', button(/^Change password$/)],
  'user.startTotp': ['profile', button(/^Enable two-factor sign-in$/)],
  'workspaces.create': ['links', (page) => page.getByRole('menuitem', { name: 'Create workspace' })],
  'session.delete': ['links', (page) => page.getByRole('menuitem', { name: 'Sign out' })],
};
/** Changes of the own account that depend on another session, an invitation or an app: other tests make them. */
const ACCOUNT_ELSEWHERE = [
  'session.end',
  'session.endOthers',
  'session.reauthenticate',
  'user.acceptInvitation',
  'user.confirmTotp',
  'user.declineInvitation',
  'user.disableTotp',
];

const accountChanges = (Object.entries(ROUTES) as [string, RouteDefinition][])
  .filter(([, { access, method }]) => access.kind === 'session' && method !== 'GET')
  .map(([name]) => name);

const routes = (Object.entries(ROUTES) as [string, RouteDefinition][]).flatMap(([name, route]) => {
  const { access, method } = route;
  return access.kind === 'workspace' && isServedIn(route, 'links') ? [{ name, method, roles: access.roles }] : [];
});

export function roleTests({ openAs, pageOf, api }: ConsoleTests): void {
  test('offers every change that a route of a workspace makes, or says where', () => {
    const changes = routes.filter(({ method }) => method !== 'GET').map(({ name }) => name);
    const offered = Object.values(ACTIONS).flatMap((actions) => Object.keys(actions));
    expect([...offered, ...Object.keys(ELSEWHERE)].sort()).toEqual(changes.sort());
  });

  test('offers every change of the own account', async () => {
    expect([...Object.keys(ACCOUNT), ...ACCOUNT_ELSEWHERE].sort()).toEqual(accountChanges.sort());
    const { page, problems } = await openAs('viewer');
    for (const [path, find] of Object.values(ACCOUNT)) {
      await page.goto(pageOf(path));
      await waitUntilLoaded(page);
      for (const menu of [/Change workspace$/, /^Demo viewer/]) {
        if (path !== 'links' || (await find(page).count()) > 0) continue;
        await page.getByRole('button', { name: menu }).click();
      }
      expect(await find(page).count()).toBe(1);
    }
    expect(problems).toEqual([]);
    await page.close();
  });

  test.each(role.options)('%s sees exactly the actions that the route table admits', async (name: Role) => {
    if (name === 'owner') await createOneOfEach(api);
    const { page, problems } = await openAs(name);
    for (const [path, actions] of Object.entries(ACTIONS)) {
      await page.goto(pageOf(path));
      await waitUntilLoaded(page);
      if (path === 'links')
        await page
          .getByRole('button', { name: /^More about/ })
          .first()
          .click();
      for (const [route, find] of Object.entries(actions)) {
        const isAdmitted = routes.find((each) => each.name === route)!.roles.includes(name);
        expect(`${route}: ${(await find(page).count()) > 0}`).toBe(`${route}: ${isAdmitted}`);
      }
    }
    expect(problems).toEqual([]);
    await page.close();
  });
}

async function createOneOfEach(api: ConsoleTests['api']): Promise<void> {
  await api('/folders', { name: 'A folder' });
  await api('/tags', { name: 'A tag' });
  await api('/utm-templates', { name: 'A template', utm_source: 'poster' });
  await api('/domains', { hostname: 'roles.example.com' });
  await api('/links', { destination_url: 'https://example.com/roles' });
  await api('/invitations', { role: 'viewer' });
  await api('/webhooks', { url: 'http://127.0.0.1:65535/roles', event_types: ['link.created'] });
}
