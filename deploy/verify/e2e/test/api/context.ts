import type { Deployment } from '@waymark/contract/deployments';
import type { RunningSystem } from '../system.js';
import type { Ask, Caller } from './caller.js';
import type { Conformance } from './conformance.js';

/** The running system, its owner, and its OpenAPI document, which all tests of the API share. */
export interface ApiTests {
  deployment: Deployment;
  running: () => RunningSystem;
  caller: () => Caller;
  /** The OpenAPI document. */
  document: () => any;
  conformance: () => Conformance;
  /** Sends a request to a path of `Caller`, and compares the exchange with the OpenAPI document. */
  problemsOf: (method: string, path: string, ask?: Ask & { query?: Record<string, string> }) => Promise<string[]>;
}
