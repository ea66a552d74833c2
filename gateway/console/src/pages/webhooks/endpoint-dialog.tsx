import { useState } from 'preact/hooks';
import type { WebhookFields } from '../../api/webhooks.js';
import { Field, Problem } from '../../components/field.js';
import { FormDialog, type Fields } from '../../components/form.js';
import { useTask } from '../../components/task.js';
import { config } from '../../config/config.js';
import { withScheme } from '../../format/addresses.js';
import { t } from '../../messages/messages.js';

const words = t.webhooks;

interface DialogProps {
  title: string;
  submit: string;
  initial: WebhookFields;
  save: (fields: WebhookFields) => Promise<unknown>;
  onClose: () => void;
}

export function EndpointDialog({ title, submit, initial, save, onClose }: DialogProps) {
  const [types, setTypes] = useState<readonly string[]>(initial.event_types);
  const [isEnabled, setEnabled] = useState(initial.enabled);
  const task = useTask(async ({ url, description }: Fields) => {
    await save({
      url: withScheme(url!),
      description: description || null,
      event_types: [...types],
      enabled: isEnabled,
    });
    onClose();
  });
  const problem = types.length === 0 ? words.noEvents : task.failure?.of('event_types');
  return (
    <FormDialog
      title={title}
      fields={['url', 'description', 'event_types']}
      task={task}
      submit={submit}
      onClose={onClose}
    >
      <Field
        label={words.url}
        hint={words.urlHint}
        name="url"
        type="url"
        defaultValue={initial.url}
        autoComplete="off"
        data-focus
        problem={task.failure?.of('url')}
      />
      <Field
        label={words.description}
        name="description"
        defaultValue={initial.description ?? ''}
        maxLength={255}
        autoComplete="off"
        problem={task.failure?.of('description')}
      />
      <div role="group" aria-label={words.events}>
        <span class="label">{words.events}</span>
        {config.event_types.map((type) => (
          <label class="option mono" key={type}>
            <input
              type="checkbox"
              name="event_types"
              value={type}
              checked={types.includes(type)}
              onChange={() => setTypes(types.includes(type) ? types.filter((each) => each !== type) : [...types, type])}
            />
            {type}
          </label>
        ))}
        {problem && <Problem text={problem} />}
      </div>
      <label class="option">
        <input type="checkbox" name="enabled" checked={isEnabled} onChange={() => setEnabled(!isEnabled)} />
        {words.enabled}
      </label>
    </FormDialog>
  );
}
