import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { qrAddress, updateLink, type Link, type LinkChange } from '../../api/links.js';
import { can, workspace } from '../../app/session.js';
import { useUnsaved } from '../../app/unsaved.js';
import { ColourField } from '../../components/colour-field.js';
import { Icon } from '../../components/icon.js';
import { Notice } from '../../components/notice.js';
import { Select } from '../../components/select.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { contentRoute, isQr } from '../../config/config.js';
import { contrastOf, darkenTo } from '../../format/contrast.js';
import { formatDecimal, isColour } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { LogoField } from './logo-field.js';
import { QrPreview } from './qr-preview.js';

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
  const mayStore = isQr && can(contentRoute('update'));
  const [edits, setEdits] = useEdits(link.id, !mayStore);
  const stored = storedStyle(link);
  const hasLogo = styleOf(link)?.logo_url != null;
  // The server draws a logo with its own error correction.
  const style = { ...stored, ...edits, ...(hasLogo && { error_correction: stored.error_correction }) };
  const changed = (Object.keys(edits) as (keyof Style)[]).filter((name) => style[name] !== stored[name]);
  const store = async (part: object) => {
    try {
      await updateLink(workspace.value, link.id, { body: { style: part } as LinkChange, tag });
    } finally {
      await onSaved();
    }
  };
  const save = useTask(async () => {
    await store(
      Object.fromEntries(changed.map((name) => [name, name === 'margin' ? Number(style.margin) : style[name]])),
    );
    setEdits({});
    showToast({ text: t.link.qr.saved });
  });
  const areColours = isColour(style.foreground) && isColour(style.background);
  useUnsaved(() => changed.length, { isKept: !mayStore });
  const isDrawn = areColours && contrastOf(style.foreground, style.background) >= CONTRAST_DRAWN;
  return (
    <section class="panel" aria-label={t.links.qrCode}>
      <div class="qr-preview">
        {isDrawn ? <QrPreview {...{ link, tag }} style={{ ...style }} /> : <p class="hint">{t.link.qr.notDrawn}</p>}
      </div>
      <div class="panel-body qr-form">
        <StyleFields style={style} hasLogo={hasLogo} onChange={(part) => setEdits({ ...edits, ...part })} />
        {mayStore && <LogoField hasLogo={hasLogo} store={(logo_url) => store({ logo_url })} />}
        {mayStore && changed.length > 0 && (
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
              href={qrAddress(workspace.value, link.id, { format, size: SIZE, ...style })}
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

/** The styles that were tried, by link; they stay while other pages are open. */
const tried = signal<Record<string, Partial<Style>>>({});

/** The changes of the style: those that cannot be saved are kept, since nothing else could be done with them. */
function useEdits(id: string, isKept: boolean): [Partial<Style>, (edits: Partial<Style>) => void] {
  const own = useState<Partial<Style>>({});
  return isKept ? [tried.value[id] ?? {}, (edits) => (tried.value = { ...tried.peek(), [id]: edits })] : own;
}

type StoredStyle = Omit<Style, 'margin'> & { margin: number; logo_url: string | null };
const styleOf = (link: Link): StoredStyle | undefined => (link as { style?: StoredStyle }).style;

/** The style that the server keeps; a link has the default one. */
function storedStyle(link: Link): Style {
  const style = styleOf(link);
  if (!style) return DEFAULT;
  const { foreground, background, error_correction, margin } = style;
  return { foreground, background, error_correction, margin: String(margin) };
}

interface StyleProps {
  style: Style;
  hasLogo: boolean;
  onChange: (part: Partial<Style>) => void;
}

function StyleFields({ style, hasLogo, onChange }: StyleProps) {
  const fields = { foreground: useRef<HTMLInputElement>(null), background: useRef<HTMLInputElement>(null) };
  const darken = (foreground: string) => {
    // The button disappears with the warning.
    fields.foreground.current?.focus();
    onChange({ foreground });
  };
  return (
    <>
      {(['foreground', 'background'] as const).map((name) => (
        <ColourField
          key={name}
          label={t.link.qr[name]}
          value={style[name]}
          isInvalid={!isColour(style[name])}
          inputRef={fields[name]}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      <ContrastWarning style={style} onDarken={darken} />
      <Select
        label={t.link.qr.correction}
        value={style.error_correction}
        options={t.link.qr.levels}
        disabled={hasLogo}
        onChange={(error_correction) => onChange({ error_correction })}
      />
      <Select
        label={t.link.qr.margin}
        value={style.margin}
        options={Object.fromEntries(marginsOf(Number(style.margin)).map((count) => [count, t.link.qr.modules(count)]))}
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
