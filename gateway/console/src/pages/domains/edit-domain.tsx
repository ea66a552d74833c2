import { updateDomain, type Domain } from '../../api/domains.js';
import { workspace } from '../../app/session.js';
import { Field, TextArea } from '../../components/field.js';
import { FormDialog, type Fields } from '../../components/form.js';
import { useTask } from '../../components/task.js';
import { readableHost } from '../../format/host-names.js';
import { domainSettings as words } from '../../messages/domain-settings.js';
import { t } from '../../messages/messages.js';
import { changesOf, FILES, fileText, URLS } from './domain-changes.js';

const URL_TEXTS = {
  root_url: { label: words.rootUrl, hint: words.rootHint },
  not_found_url: { label: t.domains.notFoundUrl, hint: t.domains.notFoundHint },
  expired_url: { label: words.expiredUrl, hint: words.expiredHint },
};
const DOCS = '/docs/#domains_update';

interface EditProps {
  domain: Domain;
  onClose: () => void;
  /** The dialog stays until the list has the new value: it may be opened again at once. */
  onSaved: () => Promise<void>;
}

/** What the host answers beside its links. */
export function EditDomain({ domain, onClose, onSaved }: EditProps) {
  const task = useTask(async (fields: Fields) => {
    const changes = changesOf(domain, fields);
    if (Object.keys(changes).length > 0) {
      await updateDomain(workspace.value, domain.id, changes);
      await onSaved();
    }
    onClose();
  });
  const problemOf = (name: string) => task.failure?.within(name);
  return (
    <FormDialog
      title={t.domains.editOf(readableHost(domain.hostname))}
      fields={[...URLS, 'indexable', ...FILES]}
      task={task}
      submit={t.save}
      onClose={onClose}
    >
      {URLS.map((name) => (
        <Field
          key={name}
          {...URL_TEXTS[name]}
          name={name}
          defaultValue={domain[name] ?? ''}
          inputMode="url"
          autoComplete="off"
          spellcheck={false}
          data-focus={name === URLS[0] ? '' : undefined}
          problem={problemOf(name)}
        />
      ))}
      <div>
        <label class="option">
          <input
            type="checkbox"
            name="indexable"
            defaultChecked={domain.indexable ?? false}
            aria-describedby="indexable-hint"
          />
          {words.indexable}
        </label>
        <p class="hint" id="indexable-hint">
          {words.indexableHint}
        </p>
      </div>
      <h3>{words.appLinks}</h3>
      <p class="hint">
        {words.appLinksText}{' '}
        <a href={DOCS} target="_blank" rel="noopener">
          {words.appLinksDocs}
        </a>
      </p>
      {FILES.map((name) => (
        <TextArea
          key={name}
          label={words.files[name]}
          name={name}
          defaultValue={fileText(domain[name])}
          rows={4}
          autoComplete="off"
          spellcheck={false}
          problem={problemOf(name)}
        />
      ))}
    </FormDialog>
  );
}
