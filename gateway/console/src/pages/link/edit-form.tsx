import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/failure.js';
import { showLink, updateLink, type Link, type LinkChange } from '../../api/links.js';
import { can, workspace } from '../../app/session.js';
import { useUnsaved } from '../../app/unsaved.js';
import { Field } from '../../components/field.js';
import { Icon } from '../../components/icon.js';
import { FailureText, Notice } from '../../components/notice.js';
import { Select } from '../../components/select.js';
import { showToast } from '../../components/toast.js';
import { contentRoute, isQr } from '../../config/config.js';
import { withScheme } from '../../format/addresses.js';
import { readableHost } from '../../format/host-names.js';
import { t } from '../../messages/messages.js';
import { CataloguePicker } from '../links/catalogue-picker.js';
import { catalogue, ensure, hasCatalogue } from '../links/catalogue.js';
import { refreshKeptLink } from '../links/kept-lists.js';
import { TagField } from './tag-field.js';

const UTM = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
/** The fields of the part that is closed at first. */
const CAMPAIGN = ['campaign_tag', ...UTM] as const;
const OPTIONAL = ['title', 'campaign_tag', 'folder_id', 'domain_id'] as const;
type Name =
  'destination_url' | 'short_code' | 'tag_ids' | 'query_policy' | (typeof OPTIONAL)[number] | (typeof UTM)[number];
/** The fields of the form as texts; the ids of the tags are separated by commas. */
type Values = Record<Name, string>;
/** Fields whose values are ids or codes, which mean nothing to a member. */
const CODED: readonly Name[] = ['folder_id', 'domain_id', 'tag_ids', 'query_policy'];

const valuesOf = (link: Link): Values => ({
  destination_url: link.destination_url,
  title: link.title ?? '',
  short_code: link.short_code,
  campaign_tag: link.campaign_tag ?? '',
  query_policy: link.query_policy,
  // A QR code has none of these.
  folder_id: link.folder_id ?? '',
  domain_id: link.domain?.id ?? '',
  tag_ids: (link.tags ?? []).map(({ id }) => id).join(),
  ...(Object.fromEntries(UTM.map((name) => [name, link.utm_defaults[name] ?? ''])) as Record<
    (typeof UTM)[number],
    string
  >),
});

const isSame = (one: Values, other: Values): boolean =>
  (Object.keys(one) as Name[]).every((name) => one[name] === other[name]);

interface FormProps {
  link: Link;
  tag: string | null;
  onSaved: () => Promise<void>;
}

/** Sends only the fields that were changed, and only if no other member has changed the link meanwhile. */
export function EditForm({ link, tag, onSaved }: FormProps) {
  const [base, setBase] = useState({ link, tag });
  const [edits, setEdits] = useState<Partial<Values>>({});
  const [failure, setFailure] = useState<Failure>();
  const [theirs, setTheirs] = useState<Name[]>([]);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isReadOnly = !can(contentRoute('update'));

  const saved = valuesOf(base.link);
  const values = { ...saved, ...edits };
  const changed = (Object.keys(edits) as Name[]).filter((name) => edits[name] !== saved[name]);
  useUnsaved(() => changed.length);
  // A form without edits follows the server; so does one with edits when only other things changed, e.g. the style.
  useEffect(() => {
    if (changed.length === 0 || isSame(valuesOf(link), saved)) setBase({ link, tag });
  }, [link, tag]);
  useLayoutEffect(() => {
    if (failure) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [failure]);

  /** Names the fields that another member has changed; the next save replaces only the fields that were edited here. */
  const compare = async () => {
    const fresh = await showLink(workspace.value, link.id).catch(() => undefined);
    if (!fresh) return;
    const now = valuesOf(fresh.body.data);
    setTheirs((Object.keys(now) as Name[]).filter((name) => now[name] !== saved[name]));
    setBase({ link: fresh.body.data, tag: fresh.tag });
  };
  const save = async () => {
    if (isBusy || changed.length === 0) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const answer = await updateLink(workspace.value, link.id, { body: changesOf(values, changed), tag: base.tag });
      setBase({ link: answer.body.data, tag: answer.tag });
      refreshKeptLink(answer.body.data);
      setEdits({});
      showToast({ text: t.link.saved });
      await onSaved();
    } catch (error) {
      const reason = asFailure(error);
      if (reason.status === 412) await compare();
      setFailure(reason);
    }
    setBusy(false);
  };

  const edit = (name: Name, value: string) => setEdits({ ...edits, [name]: value });
  const noteOf = (name: Name) => changed.includes(name) && <Edited />;
  const bind = (name: Name) => ({
    label: t.link.fields[name]!,
    note: noteOf(name),
    value: values[name],
    problem: failure?.of(name) ?? failure?.of(`utm_defaults.${name}`),
    readOnly: isReadOnly,
    autoComplete: 'off',
    onInput: (event: { currentTarget: HTMLInputElement }) => edit(name, event.currentTarget.value),
  });
  const choose = (name: Name) => ({
    label: t.link.fields[name]!,
    note: noteOf(name),
    value: values[name],
    disabled: isReadOnly,
    onChange: (value: string) => edit(name, value),
  });
  const isFrozen = base.link.scans_count > 0;
  return (
    <form
      class="panel"
      noValidate
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="panel-body form-grid">
        <Field {...bind('destination_url')} class="wide" inputMode="url" spellcheck={false} />
        <Field {...bind('title')} />
        <Field
          {...bind('short_code')}
          readOnly={isReadOnly || isFrozen}
          hint={isFrozen ? t.link.frozen : undefined}
          spellcheck={false}
        />
        {!isQr && (
          <>
            <TagField
              label={t.link.fields['tag_ids']!}
              note={noteOf('tag_ids')}
              known={base.link.tags}
              ids={values.tag_ids.split(',').filter(Boolean)}
              isReadOnly={isReadOnly}
              onChange={(ids) => edit('tag_ids', ids.join())}
            />
            <CatalogueField {...choose('folder_id')} kind="folders" none={t.links.noFolder} />
            {hasCatalogue('domains') && (
              <CatalogueField
                {...choose('domain_id')}
                kind="domains"
                none={t.links.defaultDomain}
                current={base.link.domain ? readableHost(base.link.domain.hostname) : undefined}
              />
            )}
          </>
        )}
        <Select {...choose('query_policy')} options={t.link.policies} />
      </div>
      <CampaignSection
        texts={CAMPAIGN.map((name) => values[name])}
        isNeeded={CAMPAIGN.some((name) => changed.includes(name) || bind(name).problem !== undefined)}
      >
        {CAMPAIGN.map((name) => (
          <Field key={name} {...bind(name)} />
        ))}
      </CampaignSection>
      {failure && <Outcome failure={failure} theirs={theirs} base={saved} />}
      {!isReadOnly && (
        <footer class="save-line">
          <span>
            {changed.length > 0 && <Icon name="edit" />}
            <span role="status">{t.link.unsaved(changed.length)}</span>
          </span>
          <span class="row-actions">
            {changed.length > 0 && (
              <button
                type="button"
                class="button quiet"
                onClick={() => {
                  setEdits({});
                  setFailure(undefined);
                }}
              >
                {t.link.discard}
              </button>
            )}
            <button type="submit" class="button primary" aria-disabled={isBusy || changed.length === 0}>
              {t.link.save}
            </button>
          </span>
        </footer>
      )}
    </form>
  );
}

const Edited = () => <span class="edited"> · {t.link.edited}</span>;

const isOptional = (name: Name): name is (typeof OPTIONAL)[number] => (OPTIONAL as readonly Name[]).includes(name);

/** The body of the PATCH: an empty optional field is `null`. */
function changesOf(values: Values, changed: Name[]): LinkChange {
  const body: LinkChange = {};
  for (const name of changed) {
    if (name === 'destination_url') body[name] = withScheme(values[name]);
    else if (name === 'short_code') body[name] = values[name].trim();
    else if (name === 'query_policy') body[name] = values[name] as Link['query_policy'];
    else if (name === 'tag_ids') body[name] = values[name].split(',').filter(Boolean);
    else if (isOptional(name)) body[name] = values[name] || null;
    else body.utm_defaults = { ...body.utm_defaults, [name]: values[name] || null };
  }
  return body;
}

function Outcome({ failure, theirs, base }: { failure: Failure; theirs: Name[]; base: Values }) {
  if (failure.status === 412) {
    return (
      <Notice kind="warn" icon="warning" role="alert">
        <strong>{theirs.length > 0 ? t.link.conflict : t.link.conflictElsewhere}</strong>
        <ul>
          {theirs.map((name) => (
            <li key={name}>
              {t.link.fields[name]}
              {!CODED.includes(name) && `: ${base[name] || t.none}`}
            </li>
          ))}
        </ul>
      </Notice>
    );
  }
  return (
    <Notice kind="danger" icon="alert" role="alert">
      <strong>{t.link.notSaved}</strong>{' '}
      {CODED.map((name) => failure.of(name)).find(Boolean) ?? <FailureText failure={failure} />}{' '}
      {failure.isTemporary && t.failure.kept}
    </Notice>
  );
}

interface CatalogueProps {
  label: string;
  note: ComponentChildren;
  value: string;
  disabled: boolean;
  onChange: (id: string) => void;
  kind: 'folders' | 'domains';
  none: string;
  /** The name of the chosen one while the list has not come, and of one that the list leaves out. */
  current?: string | undefined;
}

function CatalogueField({ label, note, value, disabled, onChange, kind, none, current }: CatalogueProps) {
  const id = useId();
  // The name of the chosen one.
  useEffect(() => void (value && ensure(kind)), []);
  const name = value === '' ? none : (catalogue.value[kind]?.find((each) => each.id === value)?.name ?? current ?? '…');
  return (
    <div class="field">
      <span class="label" id={`${id}-label`}>
        {label}
        {note}
      </span>
      <CataloguePicker
        kind={kind}
        class="select"
        isDisabled={disabled}
        isCreating
        labelledBy={`${id}-label ${id}-name`}
        none={none}
        chosen={[value]}
        onChoose={onChange}
        button={
          <span class="truncate" id={`${id}-name`}>
            {name}
          </span>
        }
      />
    </div>
  );
}

interface SectionProps {
  texts: readonly string[];
  /** Whether it has a problem or an unsaved change, which must not be out of sight. */
  isNeeded: boolean;
  children: ComponentChildren;
}

function CampaignSection({ texts, isNeeded, children }: SectionProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="section" open={isOpen || isNeeded} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="right" />
        <strong>{t.link.campaign}</strong>
        <span class="muted truncate">{texts.filter(Boolean).join(' · ') || t.none}</span>
      </summary>
      <div class="panel-body form-grid">{children}</div>
    </details>
  );
}
