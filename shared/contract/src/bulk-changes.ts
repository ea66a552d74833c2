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
});

const COMMON_ACTIONS = ['archive', 'reactivate', 'delete'] as const;
const bulkAction = choice('action', [...COMMON_ACTIONS, 'move', 'add_tags', 'remove_tags']);
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
      .meta({ description: 'Only with `move`: the folder to move the links to, or `null` for no folder.' }),
    tag_ids: tagIds.nullish().meta({ description: 'Only with `add_tags` and `remove_tags`: at least one tag.' }),
  })
  .superRefine((body, ctx) => {
    const needed = FIELD_OF[body.action];
    if (needed !== 'folder_id' && body.folder_id != null) report(ctx, FOLDER_UNUSED, ['folder_id']);
    if (needed !== 'tag_ids' && body.tag_ids != null) report(ctx, TAGS_UNUSED, ['tag_ids']);
    if (needed === 'folder_id' && body.folder_id === undefined) report(ctx, FOLDER_REQUIRED, ['folder_id']);
    if (needed === 'tag_ids' && !body.tag_ids?.length) report(ctx, TAGS_REQUIRED, ['tag_ids']);
  });
/** QR codes are in no folder and have no tags. */
export const changeQrCodes = z.object({ ids, action: choice('action', COMMON_ACTIONS) });
export type BulkBody = z.infer<typeof changeLinks>;

const bulkResult = z.object({
  id: z.string(),
  status: z.number().int().meta({ description: 'The status with which the route for one item would answer.' }),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
      problems: z.array(problem).readonly().optional(),
    })
    .optional(),
});
export type BulkResult = z.infer<typeof bulkResult>;
/** One result for each id, in their order. */
export const bulkResults = list(bulkResult);
