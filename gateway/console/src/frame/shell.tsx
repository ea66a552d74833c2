import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isPage } from '../app/page-names.js';
import { segments } from '../app/router.js';
import { can, canCreateWorkspace, membership, pageOf, role, signOut, reloadConsole, user } from '../app/session.js';
import { areShown } from '../app/shortcuts.js';
import { leave } from '../app/unsaved.js';
import { Icon, Mark, type IconName } from '../components/icon.js';
import { Menu, MenuItem } from '../components/menu.js';
import { ToastRegion } from '../components/toast.js';
import { contentRoute } from '../config/config.js';
import { t } from '../messages/messages.js';
import { CreateWorkspace } from './lazy-parts.js';
import { chooseTheme, readTheme, THEMES } from './theme-choice.js';

interface Entry {
  path: string;
  text: string;
  icon: IconName;
  /** The route that the page needs. */
  route: string;
}

const DAILY: Entry[] = [
  { path: 'links', text: t.nav.links, icon: 'link', route: contentRoute('list') },
  { path: 'analytics', text: t.nav.analytics, icon: 'chart', route: 'analytics' },
];
const GROUPS: { title: string; entries: Entry[] }[] = [
  {
    title: t.nav.organise,
    entries: [
      { path: 'folders', text: t.nav.folders, icon: 'folder', route: 'folders.list' },
      { path: 'import', text: t.nav.import, icon: 'import', route: 'imports.list' },
    ],
  },
  {
    title: t.nav.workspace,
    entries: [
      { path: 'domains', text: t.nav.domains, icon: 'globe', route: 'domains.list' },
      { path: 'webhooks', text: t.nav.webhooks, icon: 'webhook', route: 'webhooks.list' },
      { path: 'tokens', text: t.nav.tokens, icon: 'key', route: 'tokens.list' },
      { path: 'members', text: t.nav.members, icon: 'members', route: 'members.list' },
      { path: 'audit', text: t.nav.audit, icon: 'audit', route: 'audit_logs.list' },
      { path: 'settings', text: t.nav.settings, icon: 'settings', route: 'workspaces.show' },
    ],
  },
];

/** Pages that exist and that the role may open. */
const isShown = ({ path, route }: Entry): boolean =>
  isPage(path) && can(route === 'analytics' ? analyticsRoute : route);
const analyticsRoute = contentRoute('') === 'links.' ? 'analytics.summary' : 'analytics.qr_summary';

export function Shell({ isHidden, children }: { isHidden: boolean; children: ComponentChildren }) {
  return (
    <div class="shell" hidden={isHidden}>
      <a class="skip-link" href="#content">
        {t.skip}
      </a>
      <header class="topbar">
        <a class="brand" href={pageOf('links')} aria-label={t.app}>
          <Mark />
        </a>
        <Switcher />
        <Account align="end" />
      </header>
      <header class="sidebar">
        <a class="brand" href={pageOf('links')} aria-label={t.app}>
          <Mark />
          <span>{t.app}</span>
        </a>
        <Switcher />
        <Navigation />
        <Account align="up" />
      </header>
      <main class="content" id="content" tabIndex={-1}>
        {children}
      </main>
      <BottomBar />
      <ToastRegion />
    </div>
  );
}

const currentPath = () => segments.value[2] ?? 'links';

function NavLink({ path, text, icon }: Entry) {
  return (
    <a href={pageOf(path)} aria-current={currentPath() === path ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{text}</span>
    </a>
  );
}

function Navigation() {
  return (
    <nav class="nav" aria-label={t.nav.label}>
      {DAILY.filter(isShown).map((entry) => (
        <NavLink key={entry.path} {...entry} />
      ))}
      {GROUPS.map(({ title, entries }) => {
        const shown = entries.filter(isShown);
        if (shown.length === 0) return null;
        return (
          <section key={title}>
            <h2>{title}</h2>
            {shown.map((entry) => (
              <NavLink key={entry.path} {...entry} />
            ))}
          </section>
        );
      })}
    </nav>
  );
}

function BottomBar() {
  const others = GROUPS.flatMap(({ entries }) => entries).filter(isShown);
  return (
    <nav class="bottombar" aria-label={t.nav.label}>
      {DAILY.filter(isShown).map((entry) => (
        <NavLink key={entry.path} {...entry} />
      ))}
      {others.length > 0 && (
        <Menu
          class=""
          align="end up"
          button={
            <>
              <Icon name="dots" />
              {t.more}
            </>
          }
        >
          {others.map(({ path, text, icon }) => (
            <MenuItem key={path} icon={icon} href={pageOf(path)}>
              {text}
            </MenuItem>
          ))}
        </Menu>
      )}
    </nav>
  );
}

function Switcher() {
  const [isCreating, setCreating] = useState(false);
  const current = membership.value;
  const all = user.value?.workspaces ?? [];
  if (!current) return <div class="switcher" />;
  return (
    <div class="switcher">
      {isCreating && <CreateWorkspace onClose={() => setCreating(false)} />}
      <Menu
        label={t.nav.switch(current.name)}
        button={
          <>
            <span class="truncate">{current.name}</span>
            <Icon name="down" />
          </>
        }
      >
        {all.map(({ slug, name }) => (
          <MenuItem key={slug} href={`/console/w/${slug}/links`} isChecked={slug === current.slug}>
            {name}
          </MenuItem>
        ))}
        {canCreateWorkspace() && (
          <MenuItem icon="plus" onSelect={() => setCreating(true)}>
            {t.newWorkspace.create}
          </MenuItem>
        )}
      </Menu>
    </div>
  );
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .map((word) => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase();

function Account({ align }: { align: 'end' | 'up' }) {
  const [theme, setTheme] = useState(readTheme);
  const { name } = user.value!;
  return (
    <div class="account">
      <Menu
        class=""
        label={align === 'up' ? undefined : t.nav.account(name)}
        align={align}
        button={
          <>
            <span class="avatar" data-initials={initials(name)} aria-hidden="true" />
            {align === 'up' && (
              <span class="who">
                {name}
                <small>{role.value && t.roles[role.value]}</small>
              </span>
            )}
          </>
        }
      >
        {isPage('profile') && (
          <MenuItem icon="user" href={pageOf('profile')}>
            {t.profile.title}
          </MenuItem>
        )}
        {THEMES.map((each) => (
          <MenuItem
            key={each}
            isChecked={theme === each}
            onSelect={() => {
              chooseTheme(each);
              setTheme(each);
            }}
          >
            {t.nav.theme}: {t.nav.themes[each]}
          </MenuItem>
        ))}
        <MenuItem href={pageOf('help')}>{t.nav.help}</MenuItem>
        <MenuItem onSelect={() => (areShown.value = true)}>{t.shortcuts.title}</MenuItem>
        <MenuItem icon="open" href="/docs/">
          {t.nav.docs}
        </MenuItem>
        <MenuItem onSelect={() => leave(() => void signOut().catch(reloadConsole))}>{t.nav.signOut}</MenuItem>
      </Menu>
    </div>
  );
}
