import { useState } from 'preact/hooks';
import {
  deleteWebhook,
  rotateSecret,
  sendTestEvent,
  showWebhook,
  updateWebhook,
  type DeliveryRow,
  type Webhook,
} from '../../api/webhooks.js';
import { useLoad } from '../../app/load.js';
import { navigate } from '../../app/router.js';
import { can, pageOf, workspace } from '../../app/session.js';
import { Part } from '../../components/boundary.js';
import { SecretDialog } from '../../components/secret-dialog.js';
import { Confirm } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { LoadNotice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { t } from '../../messages/messages.js';
import { DeliveryLog } from './delivery-log.js';
import { EndpointDialog } from './endpoint-dialog.js';
import { Health } from './health.js';
import { ReplayDialog } from './replay-dialog.js';

const words = t.webhooks;
type Asked = 'edit' | 'rotate' | 'replay' | 'remove';

export function EndpointPage({ id }: { id: string }) {
  const { state, reload } = useLoad(id, () => showWebhook(workspace.value, id));
  const [asked, ask] = useState<Asked>();
  const [secret, setSecret] = useState<string>();
  const [round, setRound] = useState(0);
  const [latest, setLatest] = useState<DeliveryRow>();
  const webhook = state.value.data;
  const followNewest = (row: DeliveryRow) => {
    setLatest(row);
    if (latest) void reload(true);
  };
  const test = useTask(async () => {
    await sendTestEvent(workspace.value, id);
    showToast({ text: words.tested });
    setRound(round + 1);
  });
  const rotate = useTask(async () => setSecret(await rotateSecret(workspace.value, id)));
  const remove = useTask(async () => {
    await deleteWebhook(workspace.value, id);
    navigate(pageOf('webhooks'));
  });
  const close = () => ask(undefined);
  return (
    <>
      <nav class="crumbs" aria-label={words.title}>
        <a href={pageOf('webhooks')}>{words.title}</a>
      </nav>
      <Page
        title={webhook ? (webhook.description ?? webhook.url) : words.title}
        beside={webhook && <Health webhook={webhook} latest={latest} />}
        actions={webhook && <Actions onTest={() => void test.start()} ask={ask} />}
      >
        <div class="stack">
          {state.value.failure && <LoadNotice loaded={state.value} />}
          <FailureNotice failure={test.failure ?? rotate.failure ?? remove.failure} />
          {webhook && <Facts webhook={webhook} />}
          {webhook && (
            <Part>
              <DeliveryLog key={round} webhook={webhook} onNewest={followNewest} />
            </Part>
          )}
        </div>
      </Page>
      {asked === 'edit' && webhook && (
        <EndpointDialog
          title={words.editTitle}
          submit={t.save}
          initial={webhook}
          save={(fields) => updateWebhook(workspace.value, id, fields).then(() => reload(true))}
          onClose={close}
        />
      )}
      {asked === 'rotate' && (
        <Confirm
          title={words.rotateTitle}
          body={words.rotateText}
          yes={words.rotate}
          no={t.cancel}
          onConfirm={() => void rotate.start()}
          onClose={close}
        />
      )}
      {asked === 'replay' && (
        <ReplayDialog
          id={id}
          types={webhook?.event_types ?? []}
          onReplayed={() => setRound(round + 1)}
          onClose={close}
        />
      )}
      {asked === 'remove' && (
        <Confirm
          title={words.removeTitle}
          body={words.removeText}
          yes={words.remove}
          no={words.keep}
          onConfirm={() => void remove.start()}
          onClose={close}
        />
      )}
      {secret !== undefined && (
        <SecretDialog
          title={words.secretTitle}
          text={words.secretText}
          label={words.secret}
          secrets={[secret]}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

function Actions({ onTest, ask }: { onTest: () => void; ask: (asked: Asked) => void }) {
  return (
    <>
      {can('webhooks.test') && (
        <button type="button" class="button" onClick={onTest}>
          {words.test}
        </button>
      )}
      {can('webhooks.update') && (
        <>
          <button type="button" class="button" onClick={() => ask('rotate')}>
            <Icon name="key" />
            {words.rotate}
          </button>
          <button type="button" class="button" onClick={() => ask('edit')}>
            <Icon name="edit" />
            {t.edit}
          </button>
        </>
      )}
      {can('webhooks.delete') && (
        <Menu label={t.more} class="icon-button" align="end" button={<Icon name="dots" />}>
          {can('webhooks.replay') && (
            <MenuItem icon="refresh" onSelect={() => ask('replay')}>
              {words.replay}
            </MenuItem>
          )}
          <MenuItem icon="trash" isDanger onSelect={() => ask('remove')}>
            {words.remove}
          </MenuItem>
        </Menu>
      )}
    </>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  return (
    <section class="panel">
      <dl class="panel-body facts">
        <div>
          <dt>{words.url}</dt>
          <dd class="mono">{webhook.url}</dd>
        </div>
        <div>
          <dt>{words.events}</dt>
          <dd class="mono events">
            {webhook.event_types.map((type) => (
              <span key={type}>{type}</span>
            ))}
          </dd>
        </div>
      </dl>
    </section>
  );
}
