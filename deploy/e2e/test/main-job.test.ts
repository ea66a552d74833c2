import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScenario } from '@waymark/e2e/scenario';
import { startSystem, type RunningSystem } from './system.js';

describe('the links deployment', () => {
  let running: RunningSystem;
  beforeAll(async () => {
    running = await startSystem();
  }, 60_000);
  afterAll(() => running?.stop());

  test('does the main job from sign-in to the audit log', async () => {
    const figures = await runScenario(running.demo, () => undefined);
    expect(figures).toMatchObject({ scans: 122, bots: 24, webhook_events: 122 });
  }, 90_000);

  test('leaves no secret in any log', () => {
    const { processes, folder } = {
      processes: Object.keys(running.system.pids),
      folder: running.system.settings.folder,
    };
    const secrets = Object.values(running.demo.users).flatMap(({ password, token }) => [password, token]);
    for (const name of processes) {
      const log = readFileSync(join(folder, 'logs', `${name}.log`), 'utf8');
      expect(log.length).toBeGreaterThan(0);
      for (const secret of [...secrets, 'whsec_', 'Bearer ']) expect(log).not.toContain(secret);
    }
  });
});

describe('the QR codes deployment', () => {
  test('starts, knows its users, and has no links', async () => {
    const { demo, stop } = await startSystem('qr');
    try {
      const headers = { authorization: `Bearer ${demo.users['owner']!.token}` };
      const user = await fetch(`${demo.base_url}/api/user`, { headers });
      expect(user.status).toBe(200);
      const links = await fetch(`${demo.base_url}/api/v1/workspaces/${demo.workspace}/links`, { headers });
      expect(links.status).toBe(404);
    } finally {
      await stop();
    }
  }, 60_000);
});
