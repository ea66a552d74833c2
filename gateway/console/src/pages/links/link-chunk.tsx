import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fetchWeeks, type Link } from '../../api/links.js';
import { useLoad } from '../../app/load.js';
import { workspace } from '../../app/session.js';
import { mayReadWeeks } from './may.js';

/** Rows this far outside the window are not drawn: ten thousand of them would make scrolling slow. */
const MARGIN = '1500px 0px';

interface ChunkProps {
  links: readonly Link[];
  /** The height of the chunk if it is not drawn at first. */
  initialSpace: number | undefined;
  onSpace: (space: number | undefined) => void;
  row: (link: Link, index: number, week: readonly number[] | undefined) => ComponentChildren;
}

/** The rows of one page; an empty space of the same height while they are far away. */
export function LinkChunk({ links, initialSpace, onSpace, row }: ChunkProps) {
  const element = useRef<HTMLDivElement>(null);
  const [space, setSpace] = useState(initialSpace);
  const weeks = useWeeks(links, space === undefined);
  const latest = useRef(onSpace);
  latest.current = onSpace;
  // Its clean-up runs before the rows are removed, which would be observed as an empty space.
  useLayoutEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const { isIntersecting, boundingClientRect: box } = entries.at(-1)!;
        const isKept = isIntersecting || element.current!.contains(document.activeElement);
        const next = isKept ? undefined : box.height;
        setSpace(next);
        latest.current(next);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      class="body"
      role="rowgroup"
      ref={element}
      style={space === undefined ? undefined : { blockSize: `${space}px` }}
    >
      {space === undefined && links.map((link, index) => row(link, index, weeks?.get(link.id)))}
    </div>
  );
}

/** Figures of the week, from when the rows are drawn first; the list never waits for them. */
function useWeeks(links: readonly Link[], isDrawn: boolean) {
  const wasDrawn = useRef(false);
  wasDrawn.current ||= isDrawn;
  const ids = links.map(({ id }) => id);
  const scans = links.reduce((sum, link) => sum + link.scans_count, 0);
  const key = wasDrawn.current && ids.length > 0 && mayReadWeeks() ? `${ids.join()} ${scans}` : null;
  return useLoad(key, () => fetchWeeks(workspace.value, ids)).state.value.data;
}
