import { useState } from 'preact/hooks';
import { exportAddress } from '../../api/audit.js';
import {
  deleteWorkspace,
  leaveWorkspace,
  renameWorkspace,
  requireTwoFactor,
  showWorkspace,
} from '../../api/workspaces.js';
import { useLoad } from '../../app/load.js';
import { can, canExportAudit, loadSession, pageOf, reloadConsole, workspace } from '../../app/session.js';
import { Confirm } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { Form, FormDialog, type Fields } from '../../components/form.js';
import { Row } from '../../components/list.js';
import { LoadNotice, Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';

const words = t.settings;
type Details = Awaited<ReturnType<typeof showWorkspace>>;
type Usage = { used: number; limit: number | null } | null | undefined;

export default function SettingsPage() {
  const { state, reload } = useLoad(workspace.value, () => showWorkspace(workspace.value));
  const details = state.value.data;
  return (
    <Page title={words.title}>
      <div class="stack">
        {state.value.failure && <LoadNotice loaded={state.value} />}
        {details && can('workspaces.update') && <NamePanel details={details} onRenamed={() => void reload(true)} />}
        {details && can('workspaces.update') && <FactorPanel details={details} onChanged={() => void reload(true)} />}
        {details && <UsagePanel details={details} />}
        {details && (can('members.leave') || can('workspaces.delete')) && <DangerZone details={details} />}
      </div>
    </Page>
  );
}

function NamePanel({ details, onRenamed }: { details: Details; onRenamed: () => void }) {
  const task = useTask(async ({ name }: Fields) => {
    await renameWorkspace(workspace.value, name!);
    await loadSession();
    showToast({ text: t.saved });
    onRenamed();
  });
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{words.workspace}</h2>
      </div>
      <div class="panel-body">
        <Form fields={['name']} task={task} submit={t.save}>
          <Field
            label={words.name}
            hint={words.slug(details.slug)}
            name="name"
            defaultValue={details.name}
            maxLength={100}
            autoComplete="off"
            problem={task.failure?.of('name')}
          />
        </Form>
      </div>
    </section>
  );
}

function FactorPanel({ details, onChanged }: { details: Details; onChanged: () => void }) {
  const isRequired = details.require_two_factor;
  const task = useTask(async () => {
    await requireTwoFactor(workspace.value, !isRequired);
    showToast({ text: t.saved });
    onChanged();
  });
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{words.secondFactor}</h2>
      </div>
      <div class="panel-body">
        <div class="form">
          <p>{isRequired ? words.factorRequired : words.factorOptional}</p>
          {task.failure?.of('require_two_factor') ? (
            <Notice kind="danger" icon="alert" role="alert">
              {words.ownFactorFirst} <a href={pageOf('profile')}>{words.toProfile}</a>
            </Notice>
          ) : (
            <FailureNotice failure={task.failure} />
          )}
          <footer>
            <button type="button" class="button" aria-disabled={task.isBusy} onClick={() => void task.start()}>
              {isRequired ? words.factorRelease : words.factorRequire}
            </button>
          </footer>
        </div>
      </div>
    </section>
  );
}

function UsagePanel({ details }: { details: Details }) {
  const entries = Object.entries(details.usage) as [string, Usage][];
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{words.usage}</h2>
        <span class="muted">{words.plan(words.plans[details.plan])}</span>
      </div>
      <dl class="panel-body usage">
        {entries.map(([name, usage]) => (
          <div key={name}>
            <dt>{words.resources[name] ?? name}</dt>
            <dd>
              {textOf(usage)}
              {usage?.limit != null && <Meter share={usage.used / Math.max(usage.limit, 1)} />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function textOf(usage: Usage): string {
  if (!usage) return words.unknown;
  const used = formatNumber(usage.used);
  return usage.limit === null ? words.unlimited(used) : words.used(used, formatNumber(usage.limit));
}

function Meter({ share }: { share: number }) {
  return (
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="6" fill="var(--ghost)" />
      <rect width={Math.min(share, 1) * 100} height="6" fill={share < 1 ? 'var(--data-1)' : 'var(--danger)'} />
    </svg>
  );
}

function DangerZone({ details }: { details: Details }) {
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{words.danger}</h2>
      </div>
      <ul class="rows">
        {can('members.leave') && <Leave name={details.name} />}
        {can('workspaces.delete') && <DeleteWorkspace details={details} />}
      </ul>
    </section>
  );
}

function Leave({ name }: { name: string }) {
  const [isAsked, ask] = useState(false);
  const task = useTask(async () => {
    await leaveWorkspace(workspace.value);
    reloadConsole();
  });
  return (
    <Row
      title={words.leaveHead}
      text={words.leaveText}
      actions={
        <button type="button" class="button destructive" onClick={() => ask(true)}>
          {words.leave}
        </button>
      }
    >
      <FailureNotice failure={task.failure} />
      {isAsked && (
        <Confirm
          title={words.leaveTitle(name)}
          body={words.leaveText}
          yes={words.leave}
          no={t.cancel}
          onConfirm={() => void task.start()}
          onClose={() => ask(false)}
        />
      )}
    </Row>
  );
}

/** Asks for the slug, since nothing restores a deleted workspace; the owner can export its audit log first. */
function DeleteWorkspace({ details: { name, slug } }: { details: Details }) {
  const [isAsked, ask] = useState(false);
  const task = useTask(async ({ confirm }: Fields) => {
    await deleteWorkspace(slug, confirm!);
    reloadConsole();
  });
  return (
    <Row
      title={words.deleteHead}
      text={words.deleteShort}
      actions={
        <button type="button" class="button destructive" onClick={() => ask(true)}>
          {words.delete}
        </button>
      }
    >
      {isAsked && (
        <FormDialog
          title={words.deleteTitle(name)}
          fields={['confirm']}
          task={task}
          submit={words.delete}
          isDanger
          onClose={() => ask(false)}
        >
          <p>{words.deleteText}</p>
          {canExportAudit() && (
            <p>
              {words.auditText}{' '}
              <a href={exportAddress(slug, {})} download>
                {words.exportAudit}
              </a>
            </p>
          )}
          <Field
            label={words.confirm(slug)}
            name="confirm"
            autoComplete="off"
            autoCapitalize="off"
            spellcheck={false}
            problem={task.failure?.of('confirm') && words.confirmWrong(slug)}
          />
        </FormDialog>
      )}
    </Row>
  );
}
