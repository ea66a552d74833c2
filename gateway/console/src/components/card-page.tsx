import type { ComponentChildren } from 'preact';
import { t } from '../messages/messages.js';
import { Mark } from './icon.js';

/** The frame of a page that also opens without a session. */
export function CardPage({ children }: { children: ComponentChildren }) {
  return (
    <div class="sign-in">
      <main class="card">
        <a class="brand" href="/console">
          <Mark />
          <span>{t.app}</span>
        </a>
        <div class="alone">{children}</div>
      </main>
    </div>
  );
}
