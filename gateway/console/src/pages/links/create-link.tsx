import { newRequestKey } from '@waymark/client';
import { computed, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/failure.js';
import { createLink, type Link, type LinkChange } from '../../api/links.js';
import { pageOf, workspace } from '../../app/session.js';
import { wantsCreateField } from '../../app/shortcuts.js';
import { useUnsaved } from '../../app/unsaved.js';
import { copyText } from '../../components/copy-text.js';
import { Problem } from '../../components/field.js';
import { replaceLostFocus } from '../../components/focus.js';
import { Icon } from '../../components/icon.js';
import { FailureText, Notice } from '../../components/notice.js';
import { isQr } from '../../config/config.js';
import { withScheme } from '../../format/addresses.js';
import { withoutScheme } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { CataloguePicker } from './catalogue-picker.js';
import { hasCatalogue, nameOf } from './catalogue.js';

interface Choices {
  domain_id?: string;
  utm_template_id?: string;
  tag_ids: string[];
}

/** The last choices; they stay for the next link, until the page is loaded again. Each workspace has its own. */
const allChoices = signal<Record<string, Choices>>({});
const choices = computed<Choices>(() => allChoices.value[workspace.value] ?? { tag_ids: [] });
const chooseMore = (part: Partial<Choices>): void =>
  void (allChoices.value = { ...allChoices.peek(), [workspace.value]: { ...choices.value, ...part } });
/** The typed text stays while other pages are open. */
const draft = signal('');

type Result = { link: Link; isCopied: boolean } | { failure: Failure } | undefined;

export function CreateLink({ onCreated }: { onCreated: (link: Link) => void }) {
  const [result, setResult] = useState<Result>();
  const [isBusy, setBusy] = useState(false);
  const [code, setCode] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const attempt = useRef({ body: '', key: '' });

  const submit = async () => {
    const destination = withScheme(draft.value);
    if (isBusy || destination === '') return field.current?.focus();
    const body = bodyOf(destination, code);
    // The same attempt has the same key: an answer that was lost creates no second link.
    const text = JSON.stringify(body);
    if (attempt.current.body !== text) attempt.current = { body: text, key: newRequestKey() };
    setBusy(true);
    try {
      const { data } = await createLink(workspace.value, body, attempt.current.key);
      attempt.current = { body: '', key: '' };
      draft.value = '';
      setCode(undefined);
      setResult({ link: data, isCopied: await copyText(data.short_url) });
      onCreated(data);
    } catch (error) {
      setResult({ failure: asFailure(error) });
    }
    setBusy(false);
    field.current?.focus();
  };
  useEffect(() => {
    if (!wantsCreateField.value) return;
    wantsCreateField.value = false;
    field.current!.focus();
  }, [wantsCreateField.value]);
  useUnsaved(() => (draft.value.trim() === '' ? 0 : 1), { isKept: true });
  const failure = result && 'failure' in result ? result.failure : undefined;
  const problem = failure?.of('destination_url');
  return (
    <section class="panel">
      <form
        class="panel-body create"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div class="create-row">
          <div class="create-field">
            <Icon name="link" />
            <input
              ref={field}
              class="input"
              aria-label={t.links.fieldLabel}
              placeholder={matchMedia('(width < 48rem)').matches ? t.links.fieldNarrow : t.links.field}
              value={draft.value}
              inputMode="url"
              autoComplete="off"
              autoCapitalize="off"
              spellcheck={false}
              aria-invalid={problem ? true : undefined}
              aria-describedby={problem ? 'create-problem' : undefined}
              onInput={(event) => {
                draft.value = event.currentTarget.value;
                if (result) setResult(undefined);
              }}
            />
          </div>
          <button class="button primary" type="submit" aria-disabled={isBusy}>
            {t.links.create}
          </button>
        </div>
        {problem && <Problem id="create-problem" text={problem} />}
        <div aria-live="polite">{result && <Outcome result={result} onRetry={() => void submit()} />}</div>
        {!(result && 'link' in result) && <Options code={code} setCode={setCode} failure={failure} />}
      </form>
    </section>
  );
}

function bodyOf(destination_url: string, code: string | undefined): LinkChange & { destination_url: string } {
  const { domain_id, utm_template_id, tag_ids } = choices.value;
  return {
    destination_url,
    ...(code && { short_code: code }),
    ...(!isQr && {
      ...(domain_id && { domain_id }),
      ...(utm_template_id && { utm_template_id }),
      ...(tag_ids.length > 0 && { tag_ids }),
    }),
  };
}

function Outcome({ result, onRetry }: { result: NonNullable<Result>; onRetry: () => void }) {
  if ('link' in result) {
    const { link, isCopied } = result;
    return (
      <Notice
        kind="ok"
        icon="check"
        action={
          <>
            <a class="button small" href={pageOf(`links/${link.id}`)}>
              <Icon name="qr" />
              {t.links.qrCode}
            </a>
            <a class="button small" href={pageOf(`links/${link.id}`)}>
              <Icon name="edit" />
              {t.edit}
            </a>
          </>
        }
      >
        {isCopied ? (
          <>
            <strong>{withoutScheme(link.short_url)}</strong>
            {t.links.created}
          </>
        ) : (
          <>
            {t.links.createdNotCopied} <strong>{link.short_url}</strong>
          </>
        )}
      </Notice>
    );
  }
  const { failure } = result;
  const isBesideField = failure.kind === 'input' && (failure.of('destination_url') || failure.of('short_code'));
  if (failure.kind === 'ended' || isBesideField) return null;
  const { current, limit } = failure.details as { current?: number; limit?: number };
  return (
    <Notice
      kind="danger"
      icon={failure.kind === 'offline' ? 'offline' : 'alert'}
      action={
        failure.isTemporary && (
          <button type="button" class="button small" onClick={onRetry}>
            {t.retry}
          </button>
        )
      }
    >
      <strong>{t.links.notCreated}</strong>{' '}
      {failure.isQuota
        ? t.links.quota(current ?? 0, limit ?? 0)
        : (failure.firstProblem ?? <FailureText failure={failure} />)}{' '}
      {failure.isTemporary && t.failure.kept}
    </Notice>
  );
}

interface OptionsProps {
  code: string | undefined;
  setCode: (code: string | undefined) => void;
  failure: Failure | undefined;
}

function Options({ code, setCode, failure }: OptionsProps) {
  const codeField = useRef<HTMLInputElement>(null);
  const codeButton = useRef<HTMLButtonElement>(null);
  const isCodeShown = code !== undefined;
  const wasCodeShown = useRef(isCodeShown);
  useLayoutEffect(() => {
    if (isCodeShown) codeField.current?.focus();
    else if (wasCodeShown.current) replaceLostFocus(codeButton.current);
    wasCodeShown.current = isCodeShown;
  }, [isCodeShown]);
  const problem = failure?.of('short_code');
  useLayoutEffect(() => {
    if (problem) codeField.current?.focus();
  }, [problem]);
  return (
    <>
      <div class="create-options">
        {hasCatalogue('domains') && <DomainMenu />}
        {code === undefined ? (
          <button ref={codeButton} type="button" class="button quiet" onClick={() => setCode('')}>
            <Icon name="edit" />
            {t.links.customCode}
          </button>
        ) : (
          <span class="code-field">
            <input
              ref={codeField}
              class="input"
              aria-label={t.links.customCode}
              placeholder={t.links.customCode}
              value={code}
              maxLength={64}
              autoComplete="off"
              spellcheck={false}
              aria-invalid={problem ? true : undefined}
              aria-describedby={problem ? 'code-problem' : undefined}
              onInput={(event) => setCode(event.currentTarget.value.trim())}
            />
            <button type="button" class="icon-button" aria-label={t.close} onClick={() => setCode(undefined)}>
              <Icon name="close" />
            </button>
          </span>
        )}
        {hasCatalogue('tags') && <TagMenu />}
        {hasCatalogue('templates') && <TemplateMenu />}
        <span class="hint">
          <kbd>Enter</kbd> {t.links.enter}
        </span>
      </div>
      {problem && <Problem id="code-problem" text={problem} />}
    </>
  );
}

function DomainMenu() {
  const { domain_id } = choices.value;
  return (
    <CataloguePicker
      kind="domains"
      class="button quiet"
      none={t.links.defaultDomain}
      chosen={[domain_id ?? '']}
      onChoose={(id) => chooseMore({ domain_id: id || undefined })}
      button={
        <>
          <Icon name="globe" />
          {domain_id ? nameOf('domains', domain_id) : t.links.defaultDomain}
        </>
      }
    />
  );
}

function TagMenu() {
  const { tag_ids } = choices.value;
  const toggle = (id: string) => {
    const others = choices.value.tag_ids.filter((each) => each !== id);
    chooseMore({ tag_ids: others.length === tag_ids.length ? [...tag_ids, id] : others });
  };
  const chosen = tag_ids.map((id) => nameOf('tags', id)).join(', ');
  return (
    <CataloguePicker
      kind="tags"
      class="button quiet"
      isMultiple
      isCreating
      chosen={tag_ids}
      onChoose={toggle}
      button={
        <>
          <Icon name="tag" />
          <span class="truncate">{chosen || t.links.tags}</span>
        </>
      }
    />
  );
}

function TemplateMenu() {
  const { utm_template_id } = choices.value;
  return (
    <CataloguePicker
      kind="templates"
      class="button quiet"
      chosen={utm_template_id ? [utm_template_id] : []}
      onChoose={(id) => chooseMore({ utm_template_id: id === utm_template_id ? undefined : id })}
      button={
        <>
          <Icon name="utm" />
          <span class="truncate">{utm_template_id ? nameOf('templates', utm_template_id) : t.links.template}</span>
        </>
      }
    />
  );
}
