import { quantile, rounded } from '../figures.js';
import { compareRanks } from './compare-ranks.js';
import { installAuth } from './installation.js';
import { prepareQuestions, type Question } from './questions.js';

/** 600 samples of equal answers leave this range by chance once in 370 comparisons. */
const PROBABILITIES = [0.45, 0.55] as const;
/** Fewer samples cannot tell answers within the range from others. */
const SAMPLES_MIN = 200;
const WARM_UP = 20;
const MINUTE_MS = 60_000;

interface Samples {
  known: number[];
  unknown: number[];
}

/**
 * Measures how long answers about e-mail addresses with and without an account take, in turns of a random order, and
 * compares them by their ranks: the probability that the answer about a known address takes longer must be about a half.
 */
export async function benchAccounts({ samples, minutes }: { samples: number; minutes: number }): Promise<boolean> {
  const installation = await installAuth();
  try {
    const questions = Object.entries(await prepareQuestions(installation));
    const results: Record<string, ReturnType<typeof summarize>> = {};
    for (const [name, question] of questions) {
      const limits = { samples, deadline: performance.now() + (minutes * MINUTE_MS) / questions.length };
      results[name] = summarize(await takeSamples(question, limits));
      console.error(`${name}: ${JSON.stringify(results[name])}`);
    }
    const passed = Object.values(results).every(({ indistinguishable }) => indistinguishable);
    console.log(JSON.stringify({ benchmark: 'accounts', target: PROBABILITIES, questions: results, passed }, null, 2));
    return passed;
  } finally {
    await installation.stop();
  }
}

/** No pair of samples begins after the deadline. The first pairs warm up compiled code and caches. */
async function takeSamples(
  question: Question,
  { samples, deadline }: { samples: number; deadline: number },
): Promise<Samples> {
  const times: Samples = { known: [], unknown: [] };
  for (let pair = -WARM_UP; pair < samples && performance.now() < deadline; pair += 1) {
    for (const kind of Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
      const emails = question.addresses[kind];
      const time = await measure(question, emails[(pair + WARM_UP) % emails.length]!);
      if (pair >= 0) times[kind].push(time);
    }
  }
  return times;
}

async function measure({ request, status, undo }: Question, email: string): Promise<number> {
  const { url, init } = request(email);
  const startedAt = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const time = performance.now() - startedAt;
  if (response.status !== status) throw new Error(`${init.method} ${url} answered ${response.status} ${text}`);
  await undo?.(text);
  return time;
}

function summarize({ known, unknown }: Samples) {
  const { probability, z } = compareRanks(known, unknown);
  const isWithin = probability >= PROBABILITIES[0] && probability <= PROBABILITIES[1];
  return {
    samples: known.length,
    known_ms: quantiles(known),
    unknown_ms: quantiles(unknown),
    known_slower: rounded(probability, 3),
    z: rounded(z, 2),
    indistinguishable: isWithin && known.length >= SAMPLES_MIN,
  };
}

const quantiles = (times: number[]) =>
  Object.fromEntries([50, 90, 99].map((percent) => [`p${percent}`, rounded(quantile(times, percent / 100), 2)]));
