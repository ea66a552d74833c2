import { replayDeliveries } from '../../api/webhooks.js';
import { workspace } from '../../app/session.js';
import { Field } from '../../components/field.js';
import { FormDialog, type Fields } from '../../components/form.js';
import { Select } from '../../components/select.js';
import { useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';

const words = t.webhooks;

interface DialogProps {
  id: string;
  types: readonly string[];
  onReplayed: () => void;
  onClose: () => void;
}

/** Sends the events of a period again, for a receiver that was away. */
export function ReplayDialog({ id, types, onReplayed, onClose }: DialogProps) {
  const task = useTask(async ({ from, to, event_type }: Fields) => {
    const count = await replayDeliveries(workspace.value, id, {
      from: momentOf(from!),
      to: momentOf(to!),
      event_types: event_type ? [event_type] : null,
    });
    showToast({ text: words.replayed(count, formatNumber(count)) });
    onReplayed();
    onClose();
  });
  return (
    <FormDialog
      title={words.replay}
      fields={['from', 'to', 'event_types']}
      task={task}
      submit={words.replaySubmit}
      onClose={onClose}
    >
      <p>{words.replayText}</p>
      <Field
        label={t.audit.filters.from}
        name="from"
        type="datetime-local"
        data-focus
        problem={task.failure?.of('from')}
      />
      <Field label={t.audit.filters.to} name="to" type="datetime-local" problem={task.failure?.of('to')} />
      <Select
        label={words.event}
        name="event_type"
        options={{ '': words.allEvents, ...Object.fromEntries(types.map((type) => [type, type])) }}
      />
    </FormDialog>
  );
}

/** A time of the browser's time zone as the API takes it; a text that is none stays for the server to report. */
const momentOf = (text: string): string => (Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString());
