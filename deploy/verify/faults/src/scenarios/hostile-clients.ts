import { setTimeout as sleep } from 'node:timers/promises';
import { AttackerProcess } from '../hostile/attacker-process.js';
import { ATTACKS, type AttackTarget } from '../hostile/attacks.js';
import { BystanderProcess } from '../hostile/bystander-process.js';
import { importOf } from '../hostile/bodies.js';
import { isUndisturbed, type BystanderTarget, type Qualities } from '../hostile/bystanders.js';
import { importLinks } from '../harness/import-links.js';
import { tokenIn, tokenOfNewMember } from '../harness/tokens.js';
import type { Report } from '../harness/report.js';
import { withEnvironment, type Environment } from '../harness/environment.js';

const WARM_UP_MS = 5000;
/** Long enough that one pause of a shared machine, which a few requests meet, is not the p99. */
const PHASE_MS = 60_000;
/** Work left by an attack ends before the next measurement begins. */
const PAUSE_MS = 5000;
/** The default: what attackers with a token can do is what they can do to an installation. */
const REQUESTS_PER_MINUTE = '120';
const MEMBERS = 3;
const ATTACKED = 'globex';
const ATTACKED_LINKS = 4000;

interface Phase {
  attack: string;
  sent: number;
  skipped: number;
  answered: Record<string, number>;
  undisturbed: Qualities;
  attacked: Qualities;
  passed: boolean;
}

/**
 * Clients without a credential, and an editor with huge imports, do their worst, one attack after the other.
 * Members of another workspace and visitors notice nothing, compared with the minute before each attack.
 */
export function hostileClients(): Promise<Report> {
  const env = { API_WORKSPACE_REQUESTS_PER_MINUTE: REQUESTS_PER_MINUTE };
  return withEnvironment({ env }, async (environment) => {
    const targets = await attackTargets(environment);
    await fillAttackedWorkspace(environment);
    const bystanders = new BystanderProcess(await bystanderTarget(environment));
    await bystanders.measure(WARM_UP_MS);
    const attacker = new AttackerProcess();
    const phases: Phase[] = [];
    for (const [attack, target] of targets) {
      const undisturbed = await bystanders.measure(PHASE_MS);
      attacker.start(attack, target);
      const attacked = await bystanders.measure(PHASE_MS);
      const { sent, skipped, statuses } = await attacker.stop();
      const passed =
        isAnsweredAs(statuses, ATTACKS[attack]!.answers) &&
        isUndisturbed(undisturbed.api, attacked.api) &&
        isUndisturbed(undisturbed.visits, attacked.visits);
      phases.push({ attack, sent, skipped, answered: statuses, undisturbed, attacked, passed });
      environment.say(
        `${passed ? 'ok' : 'FAILED'} ${attack}: sent ${sent} ${JSON.stringify(statuses)}; ` +
          `API p99 ${undisturbed.api.p99_ms} to ${attacked.api.p99_ms} ms ${JSON.stringify(attacked.api.statuses)}; ` +
          `visits p99 ${undisturbed.visits.p99_ms} to ${attacked.visits.p99_ms} ms ` +
          JSON.stringify(attacked.visits.statuses),
      );
      await sleep(PAUSE_MS);
    }
    attacker.end();
    bystanders.end();
    return { phases, passed: phases.every(({ passed }) => passed) };
  });
}

const REFUSALS = [429, 503];

/** Whether the attack had every answer that it is meant to have, and no other: it reached what it is about. */
function isAnsweredAs(statuses: Record<string, number>, answers: readonly number[]): boolean {
  const mayBeRefused = !answers.includes(429);
  const found = Object.keys(statuses)
    .map(Number)
    .filter((status) => !(mayBeRefused && REFUSALS.includes(status)));
  return found.length === answers.length && answers.every((status) => found.includes(status));
}

/** Exports and searches of the attackers find links with long destinations. */
async function fillAttackedWorkspace({ system, demo }: Environment): Promise<void> {
  const token = await tokenIn(system, { workspace: ATTACKED, email: demo.users['outsider']!.email, role: 'owner' });
  const url = `${system.baseUrl}/api/v1/workspaces/${ATTACKED}`;
  const status = await importLinks({ url, token }, importOf(ATTACKED_LINKS, 'filled'));
  if (status !== 'completed') throw new Error(`the import ended as ${status}`);
}

/** All attacks, or those that contain the text in `ATTACK`. */
function chosenAttacks(): string[] {
  const wanted = process.env['ATTACK'] ?? '';
  return Object.keys(ATTACKS).filter((name) => name.includes(wanted));
}

/**
 * Each attack with a member of the demo's second workspace of its own: one that has used up its request limit would
 * spare the system the next attack.
 */
async function attackTargets({ system, links }: Environment): Promise<Map<string, AttackTarget>> {
  const targets = new Map<string, AttackTarget>();
  for (const attack of chosenAttacks()) {
    const workspace = ATTACKED;
    const role = attack.slice(0, attack.indexOf(':'));
    const token = role === 'anonymous' ? '' : await tokenOfNewMember(system, { workspace, role });
    const code = links[0]!.short_code;
    targets.set(attack, { apiUrl: system.baseUrl, shortUrl: system.shortUrl, workspace, code, token });
  }
  return targets;
}

/** Three members, so that none exceeds the request limit. */
export async function bystanderTarget({ system, demo, links }: Environment): Promise<BystanderTarget> {
  const { workspace } = demo;
  const tokens: string[] = [];
  for (let count = 0; count < MEMBERS; count += 1) {
    tokens.push(await tokenOfNewMember(system, { workspace, role: 'admin' }));
  }
  return {
    apiUrl: system.baseUrl,
    shortUrl: system.shortUrl,
    workspace,
    tokens,
    codes: links.map(({ short_code }) => short_code),
  };
}
