import { z } from 'zod';
import { boundedList } from './common.js';
import { tooMany } from './problems.js';

/** Accepts any id; the handler, which knows what exists, refuses an unknown one. */
export const reference = (name: string) =>
  z
    .string({ error: `The ${name} must be an id.` })
    .regex(/^\w{1,64}$/, `The ${name} must be an id.`)
    .nullable();

export const TAGS_MAX = 50;
export const TOO_MANY_TAGS = tooMany('tag_ids', TAGS_MAX);
export const tagIds = boundedList(z.string({ error: 'The tag_ids must be ids.' }).max(64, 'The tag_ids must be ids.'), {
  error: () => 'The tag_ids must be a list.',
  max: [TAGS_MAX, TOO_MANY_TAGS],
});
