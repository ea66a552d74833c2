import { useState } from 'preact/hooks';
import { startImport, type OnDuplicate } from '../../api/imports.js';
import { navigate } from '../../app/router.js';
import { pageOf, workspace } from '../../app/session.js';
import { Problem as ProblemText } from '../../components/field.js';
import { FileButton } from '../../components/file-button.js';
import { Select } from '../../components/select.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { t } from '../../messages/messages.js';
import { chosenFile, chooseFile, withOption, type Problem } from './chosen-file.js';

const words = t.imports;
const COLUMNS =
  'destination_url, short_code, title, campaign_tag, query_policy, starts_at, expires_at, expired_url, max_scans, redirect_status, forward_path, status, domain_id, folder_id, utm_template_id, utm_source, utm_medium, utm_campaign, utm_term, utm_content, tag_ids';

/** A file, and what happens to rows whose short code is in use; the file is checked before anything changes. */
export function ChooseFile() {
  const file = chosenFile.value;
  const onDuplicate = file?.onDuplicate ?? 'fail';
  const check = useTask(async () => {
    const { csv, keys } = file!;
    const body = { csv, options: { on_duplicate: onDuplicate, dry_run: true } };
    navigate(pageOf(`import/${(await startImport(workspace.value, body, keys.check)).id}`));
  });
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{words.file}</h2>
      </div>
      <div class="panel-body stack">
        <DropZone onDuplicate={onDuplicate} />
        <p class="hint">{words.format}</p>
        <details class="hint">
          <summary>{words.columns}</summary>
          <p class="mono">{COLUMNS}</p>
        </details>
        {file && (
          <div class="form">
            <Select
              label={words.duplicates}
              value={onDuplicate}
              options={words.onDuplicate}
              onChange={(value) => (chosenFile.value = withOption(file, value as OnDuplicate))}
            />
            <FailureNotice failure={check.failure} />
            <footer>
              <button
                type="button"
                class="button primary"
                aria-disabled={check.isBusy}
                onClick={() => void check.start()}
              >
                {words.check}
              </button>
            </footer>
            <p class="hint">{words.checkHint}</p>
          </div>
        )}
      </div>
    </section>
  );
}

/** Takes a file by a drop or by the dialog of the browser. */
export function DropZone({ onDuplicate }: { onDuplicate: OnDuplicate }) {
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const file = chosenFile.value;
  const take = async (chosen: File | undefined) => {
    if (chosen) setProblem(await chooseFile(chosen, onDuplicate));
  };
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer?.files[0]);
      }}
    >
      <strong role="status">{file ? file.name : words.drop}</strong>
      <FileButton label={words.file} accept=".csv,text/csv" icon="import" onChoose={(chosen) => void take(chosen)}>
        {file ? words.chooseAgain : words.choose}
      </FileButton>
      {problem && <ProblemText text={words[problem]} />}
    </div>
  );
}
