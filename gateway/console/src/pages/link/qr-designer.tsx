import { useId, useState } from 'preact/hooks';
import { updateLink, type Link, type LinkChange } from '../../api/links.js';
import { contentRoute, isQr } from '../../app/config.js';
import { can, workspace } from '../../app/session.js';
import { FailureNotice, useTask } from '../../components/form.js';
import { Icon } from '../../components/icon.js';
import { Notice } from '../../components/notice.js';
import { showToast } from '../../components/toast.js';
import { contrastOf, darkenTo, isColour } from '../../format/contrast.js';
import { formatDecimal } from '../../format/format.js';
import { t } from '../../messages/messages.js';

/** Below the first some phones do not read a code in dim light; below the second the server draws none. */
const CONTRAST_GOOD = 4;
const CONTRAST_DRAWN = 3;
const SIZE = '1024';
const MARGINS = [0, 1, 2, 4, 8];
const marginsOf = (current: number): number[] => [...new Set([...MARGINS, current])].sort((one, other) => one - other);

interface Style {
  foreground: string;
  background: string;
  error_correction: string;
  margin: string;
}
const DEFAULT: Style = { foreground: '#000000', background: '#ffffff', error_correction: 'M', margin: '4' };

interface DesignerProps {
  link: Link;
  tag: string | null;
  onSaved: () => Promise<void>;
}

/** Tries a style in the image; that of a QR code can be saved, and a link has none to keep. */
export function QrDesigner({ link, tag, onSaved }: DesignerProps) {
  const [edits, setEdits] = useState<Partial<Style>>({});
  const stored = storedStyle(link);
  const style = { ...stored, ...edits };
  const changed = (Object.keys(edits) as (keyof Style)[]).filter((name) => edits[name] !== stored[name]);
  const save = useTask(async () => {
    const body = { style: { ...edits, ...(edits.margin !== undefined && { margin: Number(edits.margin) }) } };
    try {
      await updateLink(workspace.value, link.id, { body: body as LinkChange, tag });
      setEdits({});
      showToast({ text: t.link.qr.saved });
    } finally {
      await onSaved();
    }
  });
  const areColours = isColour(style.foreground) && isColour(style.background);
  const isDrawn = areColours && contrastOf(style.foreground, style.background) >= CONTRAST_DRAWN;
  const address = (format: string, size: string) => {
    const item = isQr ? `qr-codes/${link.id}/image` : `links/${link.id}/qr`;
    const query = new URLSearchParams({ format, size, ...style });
    return `/api/v1/workspaces/${workspace.value}/${item}?${query.toString()}`;
  };
  return (
    <section class="panel" aria-label={t.links.qrCode}>
      <div class="qr-preview">
        {isDrawn ? (
          <img src={address('svg', '176')} width="176" height="176" alt={t.links.qrOf(link.short_code)} />
        ) : (
          <p class="hint">{t.link.qr.notDrawn}</p>
        )}
      </div>
      <div class="panel-body qr-form">
        <StyleFields style={style} onChange={(part) => setEdits({ ...edits, ...part })} />
        {isQr && can(contentRoute('update')) && changed.length > 0 && (
          <div class="wide stack">
            <FailureNotice failure={save.failure} />
            <button
              type="button"
              class="button primary"
              aria-disabled={save.isBusy || !isDrawn}
              onClick={() => void (isDrawn && save.start())}
            >
              {t.link.qr.save}
            </button>
          </div>
        )}
        {isDrawn &&
          ['svg', 'png'].map((format) => (
            <a
              key={format}
              class="button"
              href={address(format, SIZE)}
              download={`${link.short_code}.${format}`}
              aria-label={t.link.qr.download(format.toUpperCase())}
            >
              <Icon name="import" />
              {format.toUpperCase()}
            </a>
          ))}
      </div>
    </section>
  );
}

/** The style that the server keeps; a link has the default one. */
function storedStyle(link: Link): Style {
  const { style } = link as { style?: Omit<Style, 'margin'> & { margin: number } };
  if (!style) return DEFAULT;
  const { foreground, background, error_correction, margin } = style;
  return { foreground, background, error_correction, margin: String(margin) };
}

function StyleFields({ style, onChange }: { style: Style; onChange: (part: Partial<Style>) => void }) {
  return (
    <>
      {(['foreground', 'background'] as const).map((name) => (
        <Colour
          key={name}
          label={t.link.qr[name]}
          value={style[name]}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      <ContrastWarning style={style} onDarken={(foreground) => onChange({ foreground })} />
      <Choice
        label={t.link.qr.correction}
        value={style.error_correction}
        options={Object.entries(t.link.qr.levels)}
        onChange={(error_correction) => onChange({ error_correction })}
      />
      <Choice
        label={t.link.qr.margin}
        value={style.margin}
        options={marginsOf(Number(style.margin)).map((count) => [String(count), t.link.qr.modules(count)])}
        onChange={(margin) => onChange({ margin })}
      />
    </>
  );
}

function ContrastWarning({ style, onDarken }: { style: Style; onDarken: (colour: string) => void }) {
  if (!isColour(style.foreground) || !isColour(style.background)) return null;
  const contrast = contrastOf(style.foreground, style.background);
  if (contrast >= CONTRAST_GOOD) return null;
  const darker = darkenTo(CONTRAST_GOOD, style);
  return (
    <div class="wide" role="status">
      <Notice kind="warn" icon="warning">
        <strong>{t.link.qr.contrast(formatDecimal(contrast))}</strong> {t.link.qr.unreadable}{' '}
        <button type="button" class="link-button" onClick={() => onDarken(darker)}>
          {t.link.qr.darken(darker)}
        </button>
      </Notice>
    </div>
  );
}

interface InputProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

function Colour({ label, value, onChange }: InputProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="colour">
        <input
          type="color"
          aria-label={t.link.qr.pick(label)}
          value={isColour(value) ? value : '#000000'}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <input
          id={id}
          class="input mono"
          value={value}
          maxLength={7}
          spellcheck={false}
          autoComplete="off"
          aria-invalid={isColour(value) ? undefined : true}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </div>
    </div>
  );
}

function Choice({ label, value, options, onChange }: InputProps & { options: (readonly [string, string])[] }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} class="select" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
