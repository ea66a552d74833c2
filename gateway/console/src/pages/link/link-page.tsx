import { useEffect, useState } from 'preact/hooks';
import { analyticsRoute } from '../../api/analytics.js';
import { deleteLink, showLink, updateLink, type Link } from '../../api/links.js';
import { useLoad } from '../../app/load.js';
import { navigate, segments } from '../../app/router.js';
import { can, pageOf, workspace } from '../../app/session.js';
import { Part } from '../../components/boundary.js';
import { copyAndTell } from '../../components/clipboard.js';
import { Confirm } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { LoadNotice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { contentRoute } from '../../config/config.js';
import { t } from '../../messages/messages.js';
import { refreshKeptLink, removeKeptLink } from '../links/kept-lists.js';
import { addressOf } from '../links/link-table.js';
import { Status } from '../links/status.js';
import { BlockedNotice } from './blocked-notice.js';
import { CheckVisit } from './check-visit.js';
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
  const [isAsked, ask] = useState(false);
  const archive = useTask(async (status: Link['status']) => {
    await updateLink(workspace.value, id, { body: { status }, tag: null });
    showToast({ text: t.links.done[status === 'archived' ? 'archive' : 'reactivate'](1, '1') });
    await reload(true);
  });
  const remove = useTask(async () => {
    await deleteLink(workspace.value, id);
    removeKeptLink(id);
    showToast({ text: t.links.done.delete(1, '1') });
    navigate(pageOf('links'));
  });
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
        beside={<Status link={link} />}
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
            <MoreActions link={link} onArchive={(status) => void archive.start(status)} onRemove={() => ask(true)} />
          </>
        }
      >
        {failure && <LoadNotice loaded={state.value} />}
        <FailureNotice failure={archive.failure ?? remove.failure} />
        {link.blocked && <BlockedNotice blocked={link.blocked} />}
        <div class="link-columns">
          <div class="stack">
            <Part>
              <EditForm key={link.id} link={link} tag={data.tag} onSaved={() => reload(true)} />
            </Part>
            {can(analyticsRoute('summary')) && (
              <Part>
                <LinkFigures id={link.id} />
              </Part>
            )}
            {can(contentRoute('explain')) && (
              <Part>
                <CheckVisit key={link.id} link={link} />
              </Part>
            )}
          </div>
          <div class="stack">
            <Part>
              <QrDesigner link={link} tag={data.tag} onSaved={() => reload(true)} />
            </Part>
            {can('audit_logs.list') && (
              <Part>
                <History link={link} />
              </Part>
            )}
          </div>
        </div>
      </Page>
      {isAsked && (
        <Confirm
          title={t.links.confirmDelete.title(1, '1')}
          body={t.links.confirmDelete.body}
          yes={t.links.confirmDelete.yes(1, '1')}
          no={t.links.confirmDelete.no(1)}
          onConfirm={() => void remove.start()}
          onClose={() => ask(false)}
        />
      )}
    </>
  );
}

interface ActionsProps {
  link: Link;
  onArchive: (status: Link['status']) => void;
  onRemove: () => void;
}

function MoreActions({ link, onArchive, onRemove }: ActionsProps) {
  const mayArchive = can(contentRoute('update'));
  const mayDelete = can(contentRoute('delete'));
  if (!mayArchive && !mayDelete) return null;
  const isActive = link.status === 'active';
  return (
    <Menu class="icon-button" align="end" label={t.more} button={<Icon name="dots" />}>
      {mayArchive && (
        <MenuItem icon={isActive ? 'archive' : 'restore'} onSelect={() => onArchive(isActive ? 'archived' : 'active')}>
          {isActive ? t.links.archive : t.links.reactivate}
        </MenuItem>
      )}
      {mayDelete && (
        <MenuItem icon="trash" isDanger onSelect={onRemove}>
          {t.links.remove}
        </MenuItem>
      )}
    </Menu>
  );
}
