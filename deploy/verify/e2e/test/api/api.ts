import type { Deployment } from '@waymark/contract/deployments';
import { startSystem, type RunningSystem } from '../system.js';
import { auditTests } from './audit.js';
import { Caller } from './caller.js';
import { Conformance } from './conformance.js';
import type { ApiTests } from './context.js';
import { documentTests } from './document.js';
import { exampleTests } from './examples.js';
import { fuzzTests } from './fuzz.js';

/** Tests every operation of a deployment by its OpenAPI document, its audit entries, and fuzzing. */
export function describeApi(deployment: Deployment): void {
  describe(`the API of the ${deployment} deployment`, () => {
    let running: RunningSystem;
    let caller: Caller;
    let document: any;
    let conformance: Conformance;

    beforeAll(async () => {
      running = await startSystem(deployment, {
        API_WORKSPACE_REQUESTS_PER_MINUTE: '1000000',
        UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000',
      });
      caller = await Caller.start(running.demo);
      document = (await caller.call('GET', '/openapi.json?deprecated=true', { as: 'nobody' })).body;
      conformance = new Conformance(document);
    });
    afterAll(() => running?.stop());

    const tests: ApiTests = {
      deployment,
      running: () => running,
      caller: () => caller,
      document: () => document,
      conformance: () => conformance,
      problemsOf: async (method, path, ask = {}) => {
        const { query, body } = ask;
        const suffix = query ? `?${new URLSearchParams(query).toString()}` : '';
        const { status, headers, body: answer } = await caller.call(method, path + suffix, ask);
        return conformance.problemsOf({ method, path: caller.pathOf(path), query, body, status, headers, answer });
      },
    };
    auditTests(tests);
    exampleTests(tests);
    documentTests(tests);
    // Last, because they delete everything they can.
    fuzzTests(tests);
  });
}
