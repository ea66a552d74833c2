import { useEffect } from 'preact/hooks';
import { analyticsRoute } from '../../api/analytics.js';
import { showLink } from '../../api/links.js';
import { useLoad } from '../../app/load.js';
import { segments } from '../../app/router.js';
import { can, pageOf, workspace } from '../../app/session.js';
import { copyAndTell } from '../../components/clipboard.js';
import { Icon } from '../../components/icon.js';
import { LoadNotice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { t } from '../../messages/messages.js';
import { refreshKeptLink } from '../links/kept-lists.js';
import { addressOf } from '../links/link-table.js';
import { Status } from '../links/status.js';
import { EditForm } from './edit-form.js';
import { History } from './history.js';
import { LinkFigures } from './link-figures.js';
import { QrDesigner } from './qr-designer.js';

export default function LinkPage() {
  const id = segments.value[3]!;
  const { state, reload } = useLoad(id, () => showLink(workspace.value, id));
  const { data, failure } = state.value;
  useEffect(() => {
    if (data) refreshKeptLink(data.body.data);
  }, [data]);
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
          <div class="stack">
            <EditForm key={link.id} link={link} tag={data.tag} onSaved={() => reload(true)} />
            {can(analyticsRoute('summary')) && <LinkFigures id={link.id} />}
          </div>
          <div class="stack">
            <QrDesigner link={link} tag={data.tag} onSaved={() => reload(true)} />
            {can('audit_logs.list') && <History link={link} />}
          </div>
        </div>
      </Page>
    </>
  );
}
