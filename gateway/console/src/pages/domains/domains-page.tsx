import { useState } from 'preact/hooks';
import { checkDomain, createDomain, deleteDomain, showDomain, type Domain } from '../../api/domains.js';
import { listDomains } from '../../api/organize.js';
import { useLoad } from '../../app/load.js';
import { can, workspace } from '../../app/session.js';
import { Copyable } from '../../components/copyable.js';
import { Confirm } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { FormDialog, type Fields } from '../../components/form.js';
import { Icon } from '../../components/icon.js';
import { ListPanel, Row } from '../../components/list.js';
import { Page } from '../../components/page.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { hostNameOf } from '../../format/addresses.js';
import { formatMoment, withoutScheme } from '../../format/format.js';
import { readableHost } from '../../format/host-names.js';
import { t } from '../../messages/messages.js';
import { DomainHistory } from './domain-history.js';
import { EditDomain } from './edit-domain.js';

const words = t.domains;
const LOOKS = {
  pending: { kind: 'warn', icon: 'clock' },
  verifying: { kind: 'warn', icon: 'clock' },
  verified: { kind: 'ok', icon: 'check' },
  degraded: { kind: 'warn', icon: 'warning' },
  failed: { kind: 'danger', icon: 'alert' },
} as const;

export default function DomainsPage() {
  const { state, reload } = useLoad(workspace.value, () => listDomains(workspace.value));
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<Domain>();
  const [removed, setRemoved] = useState<Domain>();
  const check = useTask(async ({ id, hostname }: Domain) => {
    await checkDomain(workspace.value, id);
    showToast({ text: words.checking(readableHost(hostname)) });
    await reload(true);
  });
  const edit = useTask(async ({ id }: Domain) => setEdited(await showDomain(workspace.value, id)));
  const remove = useTask(async ({ id }: Domain) => {
    await deleteDomain(workspace.value, id);
    await reload(true);
  });
  return (
    <Page
      title={words.title}
      actions={
        can('domains.create') && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            {words.create}
          </button>
        )
      }
    >
      <div class="stack">
        <FailureNotice failure={check.failure ?? edit.failure ?? remove.failure} />
        <ListPanel
          title={words.list}
          isTitleHidden
          loaded={state.value}
          empty={<p>{words.empty}</p>}
          row={(domain) => (
            <DomainRow
              key={domain.id}
              domain={domain}
              onCheck={() => void check.start(domain)}
              onEdit={() => void edit.start(domain)}
              onRemove={() => setRemoved(domain)}
            />
          )}
        />
      </div>
      {isCreating && <CreateDomain onClose={() => setCreating(false)} onCreated={() => void reload(true)} />}
      {edited && <EditDomain domain={edited} onClose={() => setEdited(undefined)} onSaved={() => reload(true)} />}
      {removed && (
        <Confirm
          title={words.removeTitle(readableHost(removed.hostname))}
          body={words.removeText}
          yes={words.remove}
          no={words.keep}
          onConfirm={() => void remove.start(removed)}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Page>
  );
}

interface RowProps {
  domain: Domain;
  onCheck: () => void;
  onEdit: () => void;
  onRemove: () => void;
}

function DomainRow({ domain, onCheck, onEdit, onRemove }: RowProps) {
  const { status, last_checked_at, last_error, not_found_url } = domain;
  const hostname = readableHost(domain.hostname);
  const [isHistoryShown, showHistory] = useState(false);
  const { kind, icon } = LOOKS[status];
  return (
    <Row
      title={
        <>
          {hostname}
          <span class={`badge ${kind}`}>
            <Icon name={icon} />
            {words.statuses[status]}
          </span>
        </>
      }
      text={not_found_url && words.leadsTo(withoutScheme(not_found_url))}
      facts={last_checked_at ? words.checked(formatMoment(last_checked_at)) : words.unchecked}
      actions={
        <>
          {can('domains.verify') && (
            <button type="button" class="button small" aria-label={words.checkOf(hostname)} onClick={onCheck}>
              {words.check}
            </button>
          )}
          {can('audit_logs.list') && (
            <button
              type="button"
              class="button small"
              aria-expanded={isHistoryShown}
              aria-label={words.historyOf(hostname)}
              onClick={() => showHistory(!isHistoryShown)}
            >
              {words.history}
            </button>
          )}
          {can('domains.update') && (
            <button type="button" class="button small" aria-label={words.editOf(hostname)} onClick={onEdit}>
              {t.edit}
            </button>
          )}
          {can('domains.delete') && (
            <button type="button" class="icon-button" aria-label={words.removeOf(hostname)} onClick={onRemove}>
              <Icon name="trash" />
            </button>
          )}
        </>
      }
    >
      {last_error && <p class="hint">{last_error}</p>}
      {status !== 'verified' && <Records domain={domain} />}
      {isHistoryShown && <DomainHistory domain={domain} />}
    </Row>
  );
}

function Records({ domain: { dns } }: { domain: Domain }) {
  const records = [
    { type: 'TXT', name: dns.txt.name, value: dns.txt.value },
    { type: 'CNAME', name: dns.cname.name, value: dns.cname.target },
  ];
  return (
    <div class="details">
      <p>{words.records}</p>
      {records.map(({ type, name, value }) => (
        <div class="records" key={type}>
          <span class="label">{words.name(type)}</span>
          <Copyable label={words.name(type)} text={name} />
          <span class="label">{words.value(type)}</span>
          <Copyable label={words.value(type)} text={value} />
        </div>
      ))}
    </div>
  );
}

function CreateDomain({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const task = useTask(async ({ hostname }: Fields) => {
    await createDomain(workspace.value, hostNameOf(hostname!));
    onCreated();
    onClose();
  });
  return (
    <FormDialog title={words.createTitle} fields={['hostname']} task={task} submit={words.create} onClose={onClose}>
      <Field
        label={words.hostname}
        hint={words.hostnameHint}
        name="hostname"
        inputMode="url"
        autoComplete="off"
        spellcheck={false}
        data-focus
        problem={task.failure?.of('hostname')}
      />
    </FormDialog>
  );
}
