import { bareContender, redirectContender, type Contender, type Round } from './contenders.js';
import { installRedirect } from './installation.js';
import { median, rounded } from '../figures.js';

const DESTINATION = 'https://acme.com/spring?ref=bench';
const RATIO_MIN = 0.4;
const CONDITIONAL_RATIO_MIN = 0.9;

/**
 * Compares our redirect with a bare `node:http` server that answers the same 302: one process each, the same load tool,
 * rounds in turn. Further rounds visit links with a
 * schedule, a limit and a forwarded path, to compare them with links without. Our scans go to the broker meanwhile. Analytics stores and counts them after the timed part, since it
 * would share two processors with the measured process.
 */
export async function benchRedirect({ rounds, requests }: { rounds: number; requests: number }): Promise<boolean> {
  const installation = await installRedirect(DESTINATION);
  const other = await bareContender(DESTINATION);
  try {
    await installation.pauseAnalytics();
    const contenders = {
      redirect: redirectContender(installation.system, installation.plain),
      conditional: redirectContender(installation.system, installation.conditional),
      bare: other,
    };
    const warmUps = await runEach(contenders, requests / 4);
    const measured = await runRounds(contenders, rounds, requests);
    const ours = [warmUps.redirect, warmUps.conditional, ...measured.redirect, ...measured.conditional];
    const sent = ours.reduce((sum, round) => sum + round.redirects, 0);
    console.error(`${sent} scans sent; analytics stores them now`);
    const stored = await installation.countScans(sent);
    const report = summarize(measured, { sent, stored });
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    other.stop();
    await installation.stop();
  }
}

type Name = 'redirect' | 'conditional' | 'bare';
type Contenders = Readonly<Record<Name, Contender>>;

/** @param order of the turns */
async function runEach(
  contenders: Contenders,
  requests: number,
  order = Object.keys(contenders) as Name[],
): Promise<Record<Name, Round>> {
  const results = {} as Record<Name, Round>;
  for (const name of order) results[name] = await contenders[name].round(requests);
  return results;
}

/** Alternates which contender goes first in each round. */
async function runRounds(contenders: Contenders, rounds: number, requests: number): Promise<Record<Name, Round[]>> {
  const measured: Record<Name, Round[]> = { redirect: [], conditional: [], bare: [] };
  const names = Object.keys(measured) as Name[];
  for (let round = 1; round <= rounds; round += 1) {
    const results = await runEach(contenders, requests, round % 2 === 1 ? names : names.toReversed());
    for (const name of names) measured[name].push(results[name]);
    const rates = names.map((name) => `${name} ${Math.round(results[name].requestsPerSecond)}/s`);
    console.error(`round ${round}: ${rates.join(', ')}`);
  }
  return measured;
}

function summarize(measured: Record<Name, Round[]>, scans: { sent: number; stored: number }) {
  const [redirect, conditional, bare] = [
    figures(measured.redirect),
    figures(measured.conditional),
    figures(measured.bare),
  ];
  const ratio = rounded(redirect.requests_per_second / bare.requests_per_second, 2);
  // By CPU, which other programs of the machine disturb least.
  const conditionalRatio = rounded(redirect.cpu_microseconds_per_request / conditional.cpu_microseconds_per_request, 2);
  const failures = redirect.failures + conditional.failures + bare.failures;
  return {
    benchmark: 'redirect',
    redirect,
    conditional,
    bare,
    ratio,
    conditional_ratio: conditionalRatio,
    scans,
    targets: { ratio: RATIO_MIN, conditional_ratio: CONDITIONAL_RATIO_MIN, stored: scans.sent },
    passed:
      ratio >= RATIO_MIN && conditionalRatio >= CONDITIONAL_RATIO_MIN && scans.stored === scans.sent && failures === 0,
  };
}

function figures(rounds: Round[]) {
  const middle = (valueOf: (round: Round) => number) => median(rounds.map(valueOf));
  return {
    requests_per_second: rounded(middle((round) => round.requestsPerSecond)),
    cpu_microseconds_per_request: rounded(
      middle((round) => round.cpuMicrosPerRequest),
      1,
    ),
    latency_ms: {
      p50: middle((round) => round.latencyMs.p50),
      p99: middle((round) => round.latencyMs.p99),
    },
    failures: rounds.reduce((sum, round) => sum + round.failures, 0),
    rounds: rounds.map(({ requestsPerSecond }) => rounded(requestsPerSecond)),
  };
}
