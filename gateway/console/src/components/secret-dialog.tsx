import { useEffect, useRef, useState } from 'preact/hooks';
import { useUnsaved } from '../app/unsaved.js';
import { t } from '../messages/messages.js';
import { copyText } from './copy-text.js';
import { Copyable } from './copyable.js';
import { Dialog } from './dialog.js';
import { Icon } from './icon.js';
import { Notice } from './notice.js';

interface SecretProps {
  title: string;
  text: string;
  label: string;
  /** Several are copied together, and offered as a file. */
  secrets: readonly string[];
  onClose: () => void;
}

const words = t.secret;

/**
 * Shows what the server does not tell again. It is copied at once where the browser allows that; otherwise the dialog closes
 * only after the user has copied it or says that it is stored. Escape never closes it.
 */
export function SecretDialog({ title, text, label, secrets, onClose }: SecretProps) {
  const [isCopied, setCopied] = useState(false);
  const [isStored, setStored] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const isSafe = isCopied || isStored;
  const all = secrets.join('\n');
  useEffect(() => void copyText(all).then(setCopied), [all]);
  useUnsaved(() => (isSafe ? 0 : 1));
  return (
    <Dialog title={title} onClose={onClose} onDismiss={() => undefined}>
      <div class="form">
        <Notice kind="warn" icon="warning">
          {text}
        </Notice>
        {secrets.length === 1 ? (
          <Copyable label={label} text={all} isCopied={isCopied} onCopied={setCopied} />
        ) : (
          <SecretList {...{ label, secrets, isCopied }} onCopy={() => void copyText(all).then(setCopied)} />
        )}
        <p class="hint" role="status">
          {isCopied ? words.copied : words.notCopied}
        </p>
        {!isCopied && (
          <label class="option">
            <input ref={box} type="checkbox" checked={isStored} onChange={() => setStored(!isStored)} />
            {words.stored}
          </label>
        )}
        <footer>
          <button
            type="button"
            class="button primary"
            aria-disabled={!isSafe}
            onClick={() => (isSafe ? onClose() : box.current?.focus())}
          >
            {t.done}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}

interface ListProps extends Pick<SecretProps, 'label' | 'secrets'> {
  isCopied: boolean;
  onCopy: () => void;
}

function SecretList({ label, secrets, isCopied, onCopy }: ListProps) {
  const file = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    const address = URL.createObjectURL(new Blob([`${secrets.join('\n')}\n`], { type: 'text/plain' }));
    file.current!.href = address;
    return () => URL.revokeObjectURL(address);
  }, [secrets]);
  return (
    <>
      <ul class="codes" aria-label={label}>
        {secrets.map((secret) => (
          <li key={secret}>{secret}</li>
        ))}
      </ul>
      <span class="secret-actions">
        <button type="button" class="button" onClick={onCopy}>
          <Icon name={isCopied ? 'check' : 'copy'} />
          {isCopied ? t.copied : words.copyAll}
        </button>
        <a ref={file} class="button" download={words.fileName}>
          <Icon name="import" />
          {words.download}
        </a>
      </span>
    </>
  );
}
