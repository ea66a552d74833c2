export interface Tag {
  id: string;
  name: string;
  color: string | null;
}

/** The dot has the tag's colour as an SVG attribute: the content security policy allows no inline style. */
export function TagDot({ color }: { color: string | null }) {
  return (
    <svg class="dot" viewBox="0 0 8 8" aria-hidden="true">
      <circle cx="4" cy="4" r="3.5" fill={color ?? 'var(--line-strong)'} />
    </svg>
  );
}

export function TagList({ tags }: { tags: readonly Tag[] }) {
  if (tags.length === 0) return null;
  return (
    <span class="tags">
      {tags.map(({ id, name, color }) => (
        <span class="tag" key={id}>
          <TagDot color={color} />
          <span>{name}</span>
        </span>
      ))}
    </span>
  );
}
