import { isPage } from '../../app/page-names.js';
import { can, pageOf } from '../../app/session.js';
import { contentRoute } from '../../config/config.js';
import { t } from '../../messages/messages.js';

/** Only a server of the reader's own machine may be one that `npm start` runs. */
const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);

/** What a new workspace shows in place of the list. */
export default function EmptyLinks() {
  const { empty } = t.links;
  const ways = [
    { path: 'import', route: 'imports.create', title: empty.import, text: empty.importText },
    { path: 'domains', route: 'domains.create', title: empty.domain, text: empty.domainText },
    { path: 'members', route: 'invitations.create', title: empty.invite, text: empty.inviteText },
  ].filter(({ path, route }) => isPage(path) && can(route));
  return (
    <section class="panel">
      <div class="empty">
        <div>
          <h2>{empty.title}</h2>
          <p>
            {can(contentRoute('create')) ? (
              <>
                {empty.before}
                <kbd>Enter</kbd>
                {empty.after}
              </>
            ) : (
              empty.viewer
            )}
          </p>
          {isLocal && (
            <p>
              {empty.local.before}
              <code class="mono">npm start -- --example</code>
              {empty.local.after}
            </p>
          )}
        </div>
        <Trail />
      </div>
      {ways.length > 0 && (
        <div class="ways">
          {ways.map(({ path, title, text }) => (
            <div key={path}>
              <a href={pageOf(path)}>{title}</a>
              <p>{text}</p>
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

function Trail() {
  return (
    <svg viewBox="0 0 272 160" aria-hidden="true">
      <g fill="none" stroke="var(--line-2)">
        <path d="M30 82c30-26 44-14 68-46 30-36 78-48 120-18 26 18 30 26 54 28" />
        <path d="M4 128c40-50 70-14 100-60 36-54 84-54 120-14 22 24 30 18 46 16" />
        <path d="M2 148c46-44 80-6 112-54 34-50 76-54 114-12 20 22 24 14 42 14" />
        <path d="M44 156c40-38 60-4 92-46 24-32 62-44 94-8 16 18 22 18 32 18" />
      </g>
      <path
        d="M24 138 74 130 54 100 112 98 98 66 162 62 196 28"
        fill="none"
        stroke="var(--data-1)"
        stroke-width="2.5"
        stroke-dasharray="1 6"
        stroke-linecap="round"
      />
      <path d="M18 132h12v5H18zM18 140h12v5H18zM106 92h12v5h-12zM106 100h12v5h-12z" fill="var(--trail)" />
      <circle cx="196" cy="26" r="8" fill="var(--surface)" stroke="var(--pine)" stroke-width="2.5" />
      <circle cx="196" cy="26" r="3.500" fill="var(--trail)" />
    </svg>
  );
}
