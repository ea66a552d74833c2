import { Mark } from '../components/icon.js';

export interface SideLink {
  id: string;
  name: string;
  inner?: SideLink[];
}

interface SidebarProps {
  links: SideLink[];
  query: string;
  onQuery: (query: string) => void;
  onGo: (id: string) => void;
}

export function Sidebar({ links, query, onQuery, onGo }: SidebarProps) {
  return (
    <header class="docs-side">
      <a class="brand" href="/docs/">
        <Mark />
        <span>Waymark API</span>
      </a>
      <div class="field" role="search">
        <label for="search">Search</label>
        <input
          id="search"
          type="search"
          class="input"
          value={query}
          onInput={(event) => onQuery(event.currentTarget.value)}
        />
      </div>
      <nav class="nav" aria-label="Groups">
        {links
          .flatMap(({ inner = [], ...link }) => [link, ...inner.map((each) => ({ ...each, isInner: true }))])
          .map(({ id, name, ...link }) => (
            <a
              href={`#${id}`}
              class={'isInner' in link ? 'inner' : undefined}
              // The address may be the same as before, which is no event.
              onClick={() => onGo(id)}
            >
              {name}
            </a>
          ))}
      </nav>
    </header>
  );
}
