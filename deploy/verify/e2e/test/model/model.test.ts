import * as fc from 'fast-check';
import { waitFor } from '@waymark/testing/wait-for';
import { Caller } from '../api/caller.js';
import { startSystem, type RunningSystem } from '../system.js';
import { Workspace } from './workspace.js';
import { Reference, viewOf, type LinkState } from './reference.js';
import { inOrder, STEPS } from './steps.js';

const RUNS = Number(process.env['MODEL_RUNS'] ?? 25);
/** The same steps each time, unless `MODEL_SEED` is set. */
const SEED = Number(process.env['MODEL_SEED'] ?? 1);
/** Low, so that steps reach it. */
const ACTIVE_MAX = 2;
/** At this time the test prints the fewest failing steps found so far. */
const TIME_MAX_MS = 240_000;

let running: RunningSystem;
let caller: Caller;

beforeAll(async () => {
  running = await startSystem('links', {
    DEFAULT_PLAN: 'free',
    PLAN_FREE_ACTIVE_LINKS: String(ACTIVE_MAX),
    ...{ API_WORKSPACE_REQUESTS_PER_MINUTE: '1000000', WORKSPACES_PER_USER_AND_DAY: '1000000' },
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000',
  });
  caller = await Caller.start(running.demo);
});
afterAll(() => running?.stop());

/**
 * Random steps, taken by the whole running system and by a reference in memory: after each both answer alike, and at
 * the end both have the same state, at the edge and in delivered webhooks. A failure prints the fewest steps that lead
 * to it.
 */
test(`links, tokens and the quota are what a reference of a hundred lines says (seed ${SEED})`, async () => {
  let workspaces = 0;
  const property = fc.asyncProperty(fc.commands(STEPS, { maxCommands: 60, size: 'max' }), async (steps) => {
    const reference = new Reference(ACTIVE_MAX);
    const real = await Workspace.create(caller, `model-${(workspaces += 1)}`);
    try {
      await fc.asyncModelRun(() => ({ model: reference, real }), steps);
      await expectSame(reference, real);
    } finally {
      await real.receiver.stop();
    }
  });
  await fc.assert(property, { numRuns: RUNS, seed: SEED, interruptAfterTimeLimit: TIME_MAX_MS });
});

async function expectSame(reference: Reference, real: Workspace): Promise<void> {
  const { body } = await real.call(undefined, 'GET', '/links?per_page=100');
  expect(inOrder(body.data.map(viewOf))).toEqual(inOrder(reference.list()));
  const codes = new Set(reference.events.map(({ link }) => link.short_code));
  for (const code of codes) await real.visit(code, reference.visit(code));
  const published = () =>
    [...real.receiver.events.values()].map(({ type, data }) => ({
      type,
      link: viewOf(data.link as unknown as LinkState),
    }));
  await waitFor('every event', () => published().length >= reference.events.length);
  expect(inOrder(published())).toEqual(inOrder(reference.events));
  expect(real.receiver.rejected).toEqual([]);
}
