import type { z } from 'zod';
import type { ProcessName } from '@waymark/launcher/process-table';
import { PROCESSES } from './process-facts.js';

/** What a workspace may hold where the operator sets nothing (docs/decisions/0034-what-a-workspace-may-hold.md). */
const CAPS: [ProcessName, string, number][] = [
  ['resource', 'MAX_FOLDERS_PER_WORKSPACE', 1000],
  ['resource', 'MAX_TAGS_PER_WORKSPACE', 1000],
  ['resource', 'MAX_UTM_TEMPLATES_PER_WORKSPACE', 500],
  ['resource', 'MAX_LINKS_PER_WORKSPACE', 1_000_000],
  ['auth', 'MAX_TOKENS_PER_WORKSPACE', 200],
  ['auth', 'MAX_MEMBERS_PER_WORKSPACE', 500],
  ['auth', 'MAX_INVITATIONS_PER_WORKSPACE', 100],
];

test.each(CAPS)('%s: %s is %i by default', (name, setting, cap) => {
  const { schema } = PROCESSES.find((process) => process.name === name)!;
  expect((schema.shape[setting] as z.ZodType).parse(undefined)).toBe(cap);
});
