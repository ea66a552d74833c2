import { listHistory } from '../../api/audit.js';
import { showLink, type Link } from '../../api/links.js';
import { useLoad } from '../../app/load.js';
import { segments } from '../../app/router.js';
import { can, pageOf, workspace } from '../../app/session.js';
import { copyAndTell } from '../../components/clipboard.js';
import { Icon } from '../../components/icon.js';
import { LoadNotice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { formatMoment } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { addressOf } from '../links/link-table.js';
import { Status } from '../links/status.js';
import { EditForm } from './edit-form.js';
import { QrDesigner } from './qr-designer.js';

export default function LinkPage() {
  const id = segments.value[3]!;
  const { state, reload } = useLoad(id, () => showLink(workspace.value, id));
  const { data, failure } = state.value;
  if (!data) {
    const title = failure?.kind === 'missing' ? t.notFound.title : t.links.columns.link;
    return <Page title={title}>{failure && <LoadNotice loaded={state.value} />}</Page>;
  }
  const link = data.body.data;
  const { host, code, text } = addressOf(link);
  return (
    <>
      <nav class="crumbs" aria-label={t.link.trail}>
        <a href={pageOf('links')}>{t.links.title}</a>
        <Icon name="right" />
        <span class="truncate">{link.title ?? code}</span>
      </nav>
      <Page
        name={text}
        title={
          <>
            <span class="muted">{host}</span>
            {code}
          </>
        }
        beside={<Status status={link.status} />}
        actions={
          <>
            <button type="button" class="button primary" onClick={() => void copyAndTell(link.short_url)}>
              <Icon name="copy" />
              {t.copy}
            </button>
            <a class="button" href={link.short_url} target="_blank" rel="noopener noreferrer">
              <Icon name="open" />
              {t.link.open}
            </a>
          </>
        }
      >
        {failure && <LoadNotice loaded={state.value} />}
        <div class="link-columns">
          <EditForm key={link.id} link={link} tag={data.tag} onSaved={() => reload(true)} />
          <div class="stack">
            <QrDesigner link={link} />
            {can('audit_logs.list') && <History link={link} />}
          </div>
        </div>
      </Page>
    </>
  );
}

function History({ link }: { link: Link }) {
  const { state } = useLoad(`${link.id} ${link.updated_at}`, () => listHistory(workspace.value, link.id));
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{t.link.history}</h2>
      </header>
      {state.value.failure && <LoadNotice loaded={state.value} />}
      <ol>
        {(state.value.data ?? []).map((entry) => (
          <li key={entry.id} class="history">
            <Icon name={entry.action.endsWith('created') ? 'plus' : 'edit'} />
            <div>
              <p class="history-head">
                <strong class="truncate">{entry.actor.name ?? entry.actor.type}</strong>
                <time class="muted" dateTime={entry.created_at}>
                  {formatMoment(entry.created_at)}
                </time>
              </p>
              <p class="hint">{t.link.actions[entry.action.split('.')[1] ?? ''] ?? entry.action}</p>
              {Object.entries(entry.changes).map(([field, change]) => (
                <p class="hint change" key={field}>
                  {t.link.fields[field] ?? field}: <del>{textOf(change.from)}</del> <ins>{textOf(change.to)}</ins>
                </p>
              ))}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

const LENGTH_MAX = 120;
function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return t.none.toLowerCase();
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text;
}
