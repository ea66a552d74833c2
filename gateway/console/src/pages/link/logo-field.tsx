import { useId, useRef, useState } from 'preact/hooks';
import { Problem } from '../../components/field.js';
import { FileButton } from '../../components/file-button.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { t } from '../../messages/messages.js';
import { readLogoFile, type LogoProblem } from './logo-file.js';

const words = t.link.qr.logo;
const FIELD = 'style.logo_url';

interface LogoProps {
  hasLogo: boolean;
  /** Stores a data URL, or no logo. */
  store: (logo: string | null) => Promise<void>;
}

/** Uploads or removes the logo at once: the server draws only a stored one. */
export function LogoField({ hasLogo, store }: LogoProps) {
  const id = useId();
  const [problem, setProblem] = useState<LogoProblem>();
  const button = useRef<HTMLButtonElement>(null);
  const task = useTask(async (logo: string | null) => {
    await store(logo);
    showToast({ text: logo === null ? words.removed : words.saved });
  });
  const take = async (file: File) => {
    const read = await readLogoFile(file);
    setProblem('problem' in read ? read.problem : undefined);
    if ('dataUrl' in read) await task.start(read.dataUrl);
  };
  const remove = async () => {
    setProblem(undefined);
    button.current!.focus();
    await task.start(null);
  };
  const shown = problem ?? (task.failure?.of(FIELD) === undefined ? undefined : 'broken');
  return (
    <div class="field wide" role="group" aria-labelledby={`${id}-label`}>
      <span class="label" id={`${id}-label`}>
        {words.label}
      </span>
      <span class="logo-actions">
        <FileButton
          label={words.label}
          accept="image/png,image/jpeg"
          icon="export"
          class="button small"
          isBusy={task.isBusy}
          describedBy={`${id}-hint`}
          buttonRef={button}
          onChoose={(file) => void take(file)}
        >
          {hasLogo ? words.replace : words.upload}
        </FileButton>
        {hasLogo && (
          <button
            type="button"
            class="button quiet small"
            aria-disabled={task.isBusy}
            onClick={() => void (!task.isBusy && remove())}
          >
            {words.remove}
          </button>
        )}
      </span>
      <p class="hint" id={`${id}-hint`}>
        {words.hint}
      </p>
      <div role="alert">{shown && <Problem text={words.problems[shown]} />}</div>
      {!shown && <FailureNotice failure={task.failure} />}
    </div>
  );
}
