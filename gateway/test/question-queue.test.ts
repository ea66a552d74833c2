import { Metrics } from '@waymark/shared/kernel/metrics';
import type { AuthorizeAnswer, AuthorizeQuestion } from '@waymark/shared/contract/authorize';
import { QuestionQueue } from '@waymark/gateway/authorize/question-queue';

const question: AuthorizeQuestion = {
  credential: { type: 'bearer', token: 'wmk_x' },
  workspace: null,
  ip_address: null,
};
const unauthenticated: AuthorizeAnswer = { outcome: 'unauthenticated' };

/** What became of each, by error code. */
async function outcomes(asked: Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(asked)) {
    const outcome = result.status === 'fulfilled' ? 'answered' : (result.reason as { code: string }).code;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

test('bounds the questions that wait for an auth that hangs, in all and of each credential', async () => {
  const queue = new QuestionQueue(() => new Promise(() => undefined), 500, new Metrics('test'));
  const ask = (credential: string, count: number) =>
    Array.from({ length: count }, () => queue.ask(question, credential));
  const greedy = ask('greedy', 600);
  const others = ask('first', 400).concat(ask('second', 500), ask('third', 500), ask('fourth', 300));
  // The rest are refused at once, because too many wait: 2,000 in all.
  expect(await outcomes(greedy)).toEqual({ service_unavailable: 500, rate_limit_exceeded: 100 });
  expect(await outcomes(others)).toEqual({ service_unavailable: 1700 });
});

test('gives every place back, whatever becomes of a question', async () => {
  let isUp = false;
  const answer = (questions: AuthorizeQuestion[]) =>
    isUp ? Promise.resolve(questions.map(() => unauthenticated)) : Promise.reject(new Error('auth is away'));
  const queue = new QuestionQueue(answer, 5000, new Metrics('test'));
  const burst = () => outcomes(Array.from({ length: 500 }, () => queue.ask(question, 'one')));
  expect(await burst()).toEqual({ service_unavailable: 500 });
  isUp = true;
  expect(await burst()).toEqual({ answered: 500 });
  expect(await burst()).toEqual({ answered: 500 });
});
