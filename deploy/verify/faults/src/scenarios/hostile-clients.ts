import { setTimeout as sleep } from 'node:timers/promises';
import { AttackerProcess } from '../hostile/attacker-process.js';
import { ATTACKS, type AttackTarget } from '../hostile/attacks.js';
import { Bystanders, isUndisturbed, type BystanderTarget, type Quality } from '../hostile/bystanders.js';
import { tokenIn } from '../harness/tokens.js';
import type { Report } from '../harness/report.js';
import { withEnvironment, type Environment } from '../harness/environment.js';

const WARM_UP_MS = 5000;
const UNDISTURBED_MS = 25_000;
const ATTACK_MS = 15_000;
/** Work left by an attack, such as an import, ends before the next one begins. */
const PAUSE_MS = 2000;
/** Ten times the default: attackers with a token are limited less than in production. */
const REQUESTS_PER_MINUTE = '1200';

interface Phase {
  attack: string;
  sent: number;
  skipped: number;
  answered: Record<string, number>;
  api: Quality;
  visits: Quality;
  passed: boolean;
}

/**
 * Clients without a credential, with a viewer's token and with an editor's do their worst, one attack after the other.
 * Members of another workspace and visitors notice nothing.
 */
export function hostileClients(): Promise<Report> {
  const env = { API_WORKSPACE_REQUESTS_PER_MINUTE: REQUESTS_PER_MINUTE };
  return withEnvironment({ env }, async (environment) => {
    const target = await attackTarget(environment);
    const bystanders = bystanderTarget(environment);
    await measure(bystanders, WARM_UP_MS);
    const before = await measure(bystanders, UNDISTURBED_MS);
    environment.say(`undisturbed: API p99 ${before.api.p99_ms} ms, visits p99 ${before.visits.p99_ms} ms`);
    const attacker = new AttackerProcess();
    const phases: Phase[] = [];
    for (const attack of chosenAttacks()) {
      attacker.start(attack, target);
      const during = await measure(bystanders, ATTACK_MS);
      const { sent, skipped, statuses } = await attacker.stop();
      const passed = isUndisturbed(before.api, during.api) && isUndisturbed(before.visits, during.visits);
      phases.push({ attack, sent, skipped, answered: statuses, ...during, passed });
      environment.say(
        `${passed ? 'ok' : 'DISTURBED'} ${attack}: sent ${sent} ${JSON.stringify(statuses)}, ` +
          `API p99 ${during.api.p99_ms} ms ${JSON.stringify(during.api.statuses)}, ` +
          `visits p99 ${during.visits.p99_ms} ms ${JSON.stringify(during.visits.statuses)}`,
      );
      await sleep(PAUSE_MS);
    }
    attacker.end();
    return { undisturbed: before, phases, passed: phases.every(({ passed }) => passed) };
  });
}

/** All attacks, or those that contain the text in `ATTACK`. */
function chosenAttacks(): string[] {
  const wanted = process.env['ATTACK'] ?? '';
  return Object.keys(ATTACKS).filter((name) => name.includes(wanted));
}

async function measure(target: BystanderTarget, forMs: number): Promise<{ api: Quality; visits: Quality }> {
  const bystanders = new Bystanders(target);
  await sleep(forMs);
  return bystanders.stop();
}

/** The attackers are members of the demo's second workspace. */
async function attackTarget({ system, demo }: Environment): Promise<AttackTarget> {
  const workspace = 'globex';
  return {
    apiUrl: system.baseUrl,
    shortUrl: system.shortUrl,
    workspace,
    viewerToken: await tokenIn(system, { workspace, email: demo.users['viewer']!.email, role: 'viewer' }),
    editorToken: await tokenIn(system, { workspace, email: demo.users['editor']!.email, role: 'editor' }),
  };
}

export function bystanderTarget({ system, demo, links }: Environment): BystanderTarget {
  return {
    apiUrl: system.baseUrl,
    shortUrl: system.shortUrl,
    workspace: demo.workspace,
    tokens: ['owner', 'admin'].map((name) => demo.users[name]!.token),
    codes: links.map(({ short_code }) => short_code),
  };
}
