import { z } from 'zod';
import { PROBLEM_CODES, type ProblemCode } from './problem-codes.js';

export const problemCode = z.enum(Object.keys(PROBLEM_CODES) as [ProblemCode, ...ProblemCode[]]).meta({
  id: 'ProblemCode',
  description: [
    'Says what is wrong. A code keeps its meaning; new ones may be added.',
    ...Object.entries(PROBLEM_CODES).map(([code, meaning]) => `- \`${code}\`: ${meaning}`),
  ].join('\n'),
});

/** The values that a message contains, by name. */
export const problemParams = z
  .record(z.string(), z.unknown())
  .meta({ description: 'The values that the message contains, such as `max`.' });

export const problem = z
  .object({
    field: z.string().meta({ description: 'The path of the field in the body, or the name of the parameter.' }),
    code: problemCode,
    params: problemParams.optional(),
    message: z.string(),
  })
  .meta({ id: 'Problem' });
