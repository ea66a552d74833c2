import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/failure.js';
import { showLink, updateLink, type Link } from '../../api/links.js';
import { can, workspace } from '../../app/session.js';
import { useUnsaved } from '../../app/unsaved.js';
import { showIncomplete } from '../../components/date-time-field.js';
import { Field } from '../../components/field.js';
import { Section } from '../../components/section.js';
import { showToast } from '../../components/toast.js';
import { contentRoute, isQr } from '../../config/config.js';
import { readableHost } from '../../format/host-names.js';
import { t } from '../../messages/messages.js';
import { hasCatalogue } from '../links/catalogue.js';
import { refreshKeptLink } from '../links/kept-lists.js';
import { CatalogueField } from './catalogue-field.js';
import type { FormFields } from './form-fields.js';
import { changedBy, changesOf, differing, UTM, valuesOf, type Name, type Values } from './form-values.js';
import { SaveLine } from './save-line.js';
import { SaveOutcome } from './save-outcome.js';
import { TagField } from './tag-field.js';
import { WhenSection } from './when-section.js';
import { WhereSection } from './where-section.js';

/** The fields of each part that is closed at first. */
const CAMPAIGN = ['campaign_tag', ...UTM] as const;

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
  // An incomplete date is no edit: discarding replaces the field that shows it.
  const [discarded, setDiscarded] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const isReadOnly = !can(contentRoute('update'));

  const saved = valuesOf(base.link);
  const values = { ...saved, ...edits };
  const changed = changedBy(edits, saved);
  useUnsaved(() => changed.length);
  // A form without edits follows the server; so does one with edits when only other things changed, e.g. the style.
  useEffect(() => {
    if (changed.length === 0 || differing(valuesOf(link), saved).length === 0) setBase({ link, tag });
  }, [link, tag]);
  useLayoutEffect(() => {
    if (failure) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [failure]);

  /** Names the fields that another member has changed; the next save replaces only the fields that were edited here. */
  const compare = async () => {
    const fresh = await showLink(workspace.value, link.id).catch(() => undefined);
    if (!fresh) return;
    const now = valuesOf(fresh.body.data);
    setTheirs(differing(now, saved));
    setBase({ link: fresh.body.data, tag: fresh.tag });
  };
  const save = async () => {
    if (isBusy || showIncomplete(form.current!) || changed.length === 0) return;
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

  const fields: FormFields = {
    values,
    isReadOnly,
    edit: (name, value) => setEdits({ ...edits, [name]: value }),
    noteOf: (name) => changed.includes(name) && <span class="edited"> · {t.link.edited}</span>,
    problemOf: (name) => failure?.of(name) ?? failure?.of(`utm_defaults.${name}`),
    isNeeded: (names) => names.some((name) => changed.includes(name) || fields.problemOf(name) !== undefined),
  };
  const { edit, noteOf } = fields;
  const bind = (name: Name) => ({
    label: t.link.fields[name]!,
    note: noteOf(name),
    value: values[name],
    problem: fields.problemOf(name),
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
  const campaign = CAMPAIGN.map((name) => values[name])
    .filter(Boolean)
    .join(' · ');
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
      </div>
      <WhenSection key={discarded} link={base.link} fields={fields} />
      <WhereSection link={base.link} fields={fields} />
      <Section
        title={t.link.campaign}
        summary={<span class="muted truncate">{campaign || t.none}</span>}
        isNeeded={fields.isNeeded(CAMPAIGN)}
      >
        {CAMPAIGN.map((name) => (
          <Field key={name} {...bind(name)} />
        ))}
      </Section>
      {failure && <SaveOutcome failure={failure} theirs={theirs} base={saved} />}
      {!isReadOnly && (
        <SaveLine
          count={changed.length}
          isBusy={isBusy}
          onDiscard={() => {
            setEdits({});
            setFailure(undefined);
            setDiscarded(discarded + 1);
          }}
        />
      )}
    </form>
  );
}
