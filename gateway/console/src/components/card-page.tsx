import type { ComponentChildren } from 'preact';
import { t } from '../messages/messages.js';
import { Mark } from './icon.js';
import map from './map.svg';

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
      <img class="map" src={map} alt="" />
    </div>
  );
}
