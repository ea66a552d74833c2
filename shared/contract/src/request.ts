import type { z } from 'zod';

/** A question one service asks another over the broker and waits for. */
export interface RequestDefinition<Question = unknown, Answer = unknown> {
  name: string;
  question: z.ZodType<Question>;
  answer: z.ZodType<Answer>;
}
