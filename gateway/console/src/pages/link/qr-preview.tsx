import { useEffect, useState } from 'preact/hooks';
import { drawQr, type Link } from '../../api/links.js';
import { useLoad } from '../../app/load.js';
import { workspace } from '../../app/session.js';
import { LoadNotice } from '../../components/notice.js';
import { t } from '../../messages/messages.js';

const SIDE = 176;
/** A colour that is picked changes with every move of the pointer. */
const DELAY_MS = 150;

interface PreviewProps {
  link: Link;
  /** Another tag is another picture: the stored logo is not a part of the address. */
  tag: string | null;
  style: Record<string, string>;
}

/** The code as the server draws it; a browser would show a picture of the same address without a new request. */
export function QrPreview({ link, tag, style }: PreviewProps) {
  const query = JSON.stringify(style);
  const [wanted, want] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => want(query), DELAY_MS);
    return () => clearTimeout(timer);
  }, [query]);
  const { state } = useLoad(`${link.id} ${tag} ${wanted}`, () =>
    drawQr(workspace.value, link.id, {
      ...(JSON.parse(wanted) as PreviewProps['style']),
      format: 'svg',
      size: String(SIDE),
    }),
  );
  const { data: svg, failure } = state.value;
  if (failure?.kind === 'input') return <p class="hint">{t.link.qr.notDrawn}</p>;
  return (
    <>
      {failure && <LoadNotice loaded={state.value} />}
      {svg !== undefined && (
        <img
          src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
          width={SIDE}
          height={SIDE}
          alt={t.links.qrOf(link.short_code)}
        />
      )}
    </>
  );
}
