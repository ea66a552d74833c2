import { z } from 'zod';
import { boundedList, choice, list } from './common.js';
import { conflicting, report, required, tooFew, tooMany } from './problems.js';
import { problem } from './problem-schema.js';
import { reference, tagIds } from './references.js';

/** All changes of a request are one transaction. */
export const BULK_IDS_MAX = 100;

const NOT_IDS = 'The ids must be ids.';
const ids = boundedList(z.string({ error: NOT_IDS }).regex(/^\w{1,64}$/, NOT_IDS), {
  error: ({ input }) => (input === undefined ? 'The ids are required.' : 'The ids must be a list.'),
  min: [1, 'The ids must have at least one id.'],
  max: [BULK_IDS_MAX, tooMany('ids', BULK_IDS_MAX)],
}).describe('1 to 100 ids, changed in their order, each with a result of its own.');

const COMMON_ACTIONS = ['archive', 'reactivate', 'delete'] as const;
const COMMON_MEANING = '`archive` and `reactivate` set the status, `delete` needs the role owner';
const bulkAction = choice('action', [...COMMON_ACTIONS, 'move', 'add_tags', 'remove_tags']).describe(
  `${COMMON_MEANING}, \`move\` sets the folder, \`add_tags\` and \`remove_tags\` keep the other tags.`,
);
export type BulkAction = z.infer<typeof bulkAction>;

/** The field of the actions that need one. */
const FIELD_OF: Partial<Record<BulkAction, 'folder_id' | 'tag_ids'>> = {
  move: 'folder_id',
  add_tags: 'tag_ids',
  remove_tags: 'tag_ids',
};

const FOLDER_UNUSED = conflicting('The folder_id is only for the action move.', 'action');
const TAGS_UNUSED = conflicting('The tag_ids are only for the actions add_tags and remove_tags.', 'action');
const FOLDER_REQUIRED = required('folder_id', ': an id, or null for no folder');
const TAGS_REQUIRED = tooFew('tag_ids', 1, 'id');

export const changeLinks = z
  .object({
    ids,
    action: bulkAction,
    folder_id: reference('folder_id')
      .optional()
      .describe('Only with `move`: the folder to move the links to, or `null` for no folder.'),
    tag_ids: tagIds.nullish().describe('Only with `add_tags` and `remove_tags`: 1 to 50 tags.'),
  })
  .superRefine((body, ctx) => {
    const needed = FIELD_OF[body.action];
    if (needed !== 'folder_id' && body.folder_id != null) report(ctx, FOLDER_UNUSED, ['folder_id']);
    if (needed !== 'tag_ids' && body.tag_ids != null) report(ctx, TAGS_UNUSED, ['tag_ids']);
    if (needed === 'folder_id' && body.folder_id === undefined) report(ctx, FOLDER_REQUIRED, ['folder_id']);
    if (needed === 'tag_ids' && !body.tag_ids?.length) report(ctx, TAGS_REQUIRED, ['tag_ids']);
  })
  .describe('One change of many links.');
/** QR codes are in no folder and have no tags. */
export const changeQrCodes = z
  .object({ ids, action: choice('action', COMMON_ACTIONS).describe(`${COMMON_MEANING}.`) })
  .describe('One change of many QR codes.');
export type BulkBody = z.infer<typeof changeLinks>;

const bulkError = z.object({
  code: z.string().describe('Kind of the error, e.g. `not_found`.'),
  message: z.string().describe('What is wrong, for people; may change.'),
  details: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Messages by field, or the quota that is reached; absent if the error has none.'),
  problems: z.array(problem).readonly().optional().describe('Every message of `details` with a stable code.'),
});
const bulkResult = z
  .object({
    id: z.string().describe('The id as it was sent.'),
    status: z.number().int().describe('HTTP status that the route for one item would answer with, e.g. 200, 204, 404.'),
    error: bulkError.optional().describe('Error that this route would answer with; absent if the change succeeded.'),
  })
  .describe('The result of the change for one id.');
export type BulkResult = z.infer<typeof bulkResult>;
export const bulkResults = list(bulkResult, 'One result for each id, in their order.');
