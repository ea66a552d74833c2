import { render } from 'preact';
import { restoreToken } from './access.js';
import { App } from './app.js';
import type { ApiDocument } from './document.js';

const root = document.getElementById('docs')!;

async function start(): Promise<void> {
  const [response] = await Promise.all([fetch('/api/v1/openapi.json'), restoreToken()]);
  if (!response.ok) throw new Error(`The document was answered with ${response.status}.`);
  render(<App document={(await response.json()) as ApiDocument} />, root);
}

start().catch((error: unknown) => {
  console.error(error);
  render(
    <main class="docs-content">
      <h1>Waymark API</h1>
      <p class="notice danger" role="alert">
        The description of the API cannot be loaded. Reload the page in a moment.
      </p>
    </main>,
    root,
  );
});
