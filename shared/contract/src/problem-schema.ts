import { z } from 'zod';
import { PROBLEM_CODES, type ProblemCode } from './problem-codes.js';

export const problemCode = z.enum(Object.keys(PROBLEM_CODES) as [ProblemCode, ...ProblemCode[]]).meta({
  id: 'ProblemCode',
  description: [
    'What is wrong, for programs. A code keeps its meaning; new ones may be added. Backticks mark names of `params`.',
    ...Object.entries(PROBLEM_CODES).map(([code, meaning]) => `- \`${code}\`: ${meaning}`),
  ].join('\n'),
});

export const problemParams = z
  .record(z.string(), z.unknown())
  .describe('Values of the message by the names that `ProblemCode` lists, e.g. `max`; absent if it has none.');

export const problem = z
  .object({
    field: z.string().describe('Path of the field in the body, e.g. `style.margin`, or the name of the parameter.'),
    code: problemCode.describe('What is wrong, for programs.'),
    params: problemParams.optional(),
    message: z.string().describe('What is wrong, for people; may change.'),
  })
  .meta({ id: 'Problem', description: 'One thing that is wrong with a field or a parameter.' });
