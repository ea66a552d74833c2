import { useState } from 'preact/hooks';
import { createWebhook, listWebhooks, type Webhook } from '../../api/webhooks.js';
import { useLoad } from '../../app/load.js';
import { segments } from '../../app/router.js';
import { can, pageOf, workspace } from '../../app/session.js';
import { SecretDialog } from '../../components/secret-dialog.js';
import { ListPanel, Row } from '../../components/list.js';
import { Page } from '../../components/page.js';
import { config } from '../../config/config.js';
import { t } from '../../messages/messages.js';
import { EndpointDialog } from './endpoint-dialog.js';
import { EndpointPage } from './endpoint-page.js';
import { Health } from './health.js';

const words = t.webhooks;

export default function WebhooksPage() {
  const id = segments.value[3];
  return id === undefined ? <EndpointList /> : <EndpointPage key={id} id={id} />;
}

function EndpointList() {
  const { state, reload } = useLoad(workspace.value, () => listWebhooks(workspace.value));
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <Page
      title={words.title}
      actions={
        can('webhooks.create') && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            {words.create}
          </button>
        )
      }
    >
      <ListPanel
        title={words.list}
        isTitleHidden
        loaded={state.value}
        empty={<p>{words.empty}</p>}
        row={(webhook) => <EndpointRow key={webhook.id} webhook={webhook} />}
      />
      {isCreating && (
        <EndpointDialog
          title={words.createTitle}
          submit={words.create}
          initial={{ url: '', description: null, event_types: [...config.event_types], enabled: true }}
          save={async (fields) => {
            setSecret(await createWebhook(workspace.value, fields));
            void reload(true);
          }}
          onClose={() => setCreating(false)}
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
    </Page>
  );
}

function EndpointRow({ webhook }: { webhook: Webhook }) {
  const { id, url, description, event_types } = webhook;
  return (
    <Row
      title={
        <>
          <a href={pageOf(`webhooks/${id}`)}>{description ?? url}</a>
          <Health webhook={webhook} />
        </>
      }
      text={description === null ? undefined : url}
      facts={event_types.join(', ')}
    />
  );
}
