import { question } from '../app/unsaved.js';
import { Dialog } from '../components/dialog.js';
import { t } from '../messages/messages.js';

/** Asks whether changes may be lost; the focus starts on the safe choice. */
export function UnsavedDialog() {
  if (!question.value) return null;
  const { count, discard } = question.value;
  const close = () => (question.value = undefined);
  return (
    <Dialog title={t.unsaved.title(count)} onClose={close}>
      <p>{t.unsaved.text}</p>
      <footer>
        <button type="button" class="button" data-focus onClick={close}>
          {t.unsaved.stay}
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => {
            close();
            discard();
          }}
        >
          {t.unsaved.discard}
        </button>
      </footer>
    </Dialog>
  );
}
