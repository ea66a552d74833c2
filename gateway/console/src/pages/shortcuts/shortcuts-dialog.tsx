import { useState } from 'preact/hooks';
import { areShortcutsOn, areShown, switchShortcuts } from '../../app/shortcuts.js';
import { Dialog } from '../../components/dialog.js';
import { t } from '../../messages/messages.js';

const words = t.shortcuts;

export default function ShortcutsDialog() {
  const [isOn, setOn] = useState(areShortcutsOn);
  const close = () => (areShown.value = false);
  return (
    <Dialog title={words.title} onClose={close}>
      <div class="form">
        <ul class="stack">
          {Object.entries(words.keys).map(([key, text]) => (
            <li key={key}>
              <kbd>{key}</kbd> {text}
            </li>
          ))}
        </ul>
        <label class="option">
          <input
            type="checkbox"
            checked={isOn}
            onChange={() => {
              switchShortcuts(!isOn);
              setOn(!isOn);
            }}
          />
          {words.on}
        </label>
        <footer>
          <button type="button" class="button" data-focus onClick={close}>
            {t.close}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
