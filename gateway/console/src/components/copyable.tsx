import { useState } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { copyText } from './copy-text.js';
import { Icon } from './icon.js';

interface CopyableProps {
  label: string;
  text: string;
  /** Whether the text was copied, if the parent needs to know. */
  isCopied?: boolean;
  onCopied?: (isCopied: boolean) => void;
}

/** A text to copy as a whole: the field selects it where the browser does not allow copying. */
export function Copyable({ label, text, ...copied }: CopyableProps) {
  const own = useState(false);
  const [isCopied, setCopied] = [copied.isCopied ?? own[0], copied.onCopied ?? own[1]];
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
