import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/failure.js';
import { showLink, updateLink, type Link, type LinkChange } from '../../api/links.js';
import { contentRoute, isQr } from '../../app/config.js';
import { can, workspace } from '../../app/session.js';
import { Field } from '../../components/field.js';
import { Icon } from '../../components/icon.js';
import { FailureText, Notice } from '../../components/notice.js';
import { showToast } from '../../components/toast.js';
import { t } from '../../messages/messages.js';
import { catalogue, ensure } from '../links/catalogue.js';
import { refreshKeptLink } from '../links/kept-lists.js';

const UTM = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
type Name = 'destination_url' | 'title' | 'short_code' | 'campaign_tag' | 'folder_id' | (typeof UTM)[number];
/** The fields of the form as texts. */
type Values = Record<Name, string>;

const valuesOf = (link: Link): Values => ({
  destination_url: link.destination_url,
  title: link.title ?? '',
  short_code: link.short_code,
  campaign_tag: link.campaign_tag ?? '',
  folder_id: link.folder_id ?? '',
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
  // A form without edits follows the server; so does one with edits when only other things changed, e.g. the style.
  useEffect(() => {
    if (changed.length === 0 || isSame(valuesOf(link), saved)) setBase({ link, tag });
  }, [link, tag]);
  useEffect(() => {
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
          <Folder
            id={values.folder_id}
            note={noteOf('folder_id')}
            isReadOnly={isReadOnly}
            onChange={(id) => edit('folder_id', id)}
          />
        )}
        <Field {...bind('campaign_tag')} />
        {UTM.map((name) => (
          <Field key={name} {...bind(name)} />
        ))}
      </div>
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

/** The body of the PATCH: an empty optional field is `null`. */
function changesOf(values: Values, changed: Name[]): LinkChange {
  const body: LinkChange = {};
  for (const name of changed) {
    if (name === 'destination_url' || name === 'short_code') body[name] = values[name].trim();
    else if (name === 'title' || name === 'campaign_tag' || name === 'folder_id') body[name] = values[name] || null;
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
              {name !== 'folder_id' && `: ${base[name] || t.none}`}
            </li>
          ))}
        </ul>
      </Notice>
    );
  }
  return (
    <Notice kind="danger" icon="alert" role="alert">
      <strong>{t.link.notSaved}</strong> <FailureText failure={failure} /> {failure.isTemporary && t.failure.kept}
    </Notice>
  );
}

interface FolderProps {
  id: string;
  note: ComponentChildren;
  isReadOnly: boolean;
  onChange: (id: string) => void;
}

function Folder({ id, note, isReadOnly, onChange }: FolderProps) {
  const field = useId();
  useEffect(() => void ensure('folders'), []);
  const folders = catalogue.value.folders ?? [];
  return (
    <div class="field">
      <label for={field}>
        {t.link.fields['folder_id']}
        {note}
      </label>
      <select
        id={field}
        class="select"
        value={id}
        disabled={isReadOnly}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">{t.links.noFolder}</option>
        {id !== '' && !folders.some((folder) => folder.id === id) && <option value={id}>…</option>}
        {folders.map((folder) => (
          <option key={folder.id} value={folder.id}>
            {folder.name}
          </option>
        ))}
      </select>
    </div>
  );
}
