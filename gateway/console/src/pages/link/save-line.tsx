import { Icon } from '../../components/icon.js';
import { t } from '../../messages/messages.js';

interface SaveLineProps {
  /** Of unsaved changes. */
  count: number;
  isBusy: boolean;
  onDiscard: () => void;
}

/** The end of the form: it counts the unsaved changes, and saves or discards them. */
export function SaveLine({ count, isBusy, onDiscard }: SaveLineProps) {
  return (
    <footer class="save-line">
      <span>
        {count > 0 && <Icon name="edit" />}
        <span role="status">{t.link.unsaved(count)}</span>
      </span>
      <span class="row-actions">
        {count > 0 && (
          <button type="button" class="button quiet" onClick={onDiscard}>
            {t.link.discard}
          </button>
        )}
        <button type="submit" class="button primary" aria-disabled={isBusy || count === 0}>
          {t.link.save}
        </button>
      </span>
    </footer>
  );
}
