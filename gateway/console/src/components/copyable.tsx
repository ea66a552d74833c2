import { useState } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { copyText } from './clipboard.js';
import { Dialog } from './dialog.js';
import { Icon } from './icon.js';
import { Notice } from './notice.js';

/** A text to copy as a whole: the field selects it where the browser does not allow copying. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <div class="copyable">
      <input
        class="input mono"
        readOnly
        aria-label={label}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
      />
      <button
        type="button"
        class="button"
        aria-label={isCopied ? t.copiedOf(label) : t.copyOf(label)}
        onClick={() => void copyText(text).then(setCopied)}
      >
        <Icon name={isCopied ? 'check' : 'copy'} />
        {isCopied ? t.copied : t.copy}
      </button>
    </div>
  );
}

interface SecretProps {
  title: string;
  text: string;
  label: string;
  secret: string;
  onClose: () => void;
}

/** Shows a secret that the server does not tell again. */
export function SecretDialog({ title, text, label, secret, onClose }: SecretProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="form">
        <Notice kind="warn" icon="warning">
          {text}
        </Notice>
        <Copyable label={label} text={secret} />
        <footer>
          <button type="button" class="button primary" onClick={onClose}>
            {t.done}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
