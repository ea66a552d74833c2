import { bareContender, redirectContender, type Contender, type Round } from './contenders.js';
import { installRedirect } from './installation.js';
import { median, rounded } from '../figures.js';

const DESTINATION = 'https://acme.com/spring?ref=bench';
const RATIO_MIN = 0.4;

/**
 * Compares our redirect with a bare `node:http` server that answers the same 302: one process each, the same load tool,
 * rounds in turn. Our scans go to the broker meanwhile. Analytics stores and counts them after the timed part, since it
 * would share two processors with the measured process.
 */
export async function benchRedirect({ rounds, requests }: { rounds: number; requests: number }): Promise<boolean> {
  const installation = await installRedirect(DESTINATION);
  const other = await bareContender(DESTINATION);
  try {
    await installation.pauseAnalytics();
    const us = redirectContender(installation.system, installation.url);
    const warmUps = [await us.round(requests / 4), await other.round(requests / 4)];
    const [mine, theirs] = await runAlternating([us, other], rounds, requests);
    const sent = [warmUps[0]!, ...mine].reduce((sum, round) => sum + round.redirects, 0);
    console.error(`${sent} scans sent; analytics stores them now`);
    const stored = await installation.countScans(sent);
    const report = summarize(mine, theirs, { sent, stored });
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    other.stop();
    await installation.stop();
  }
}

/** Alternates which contender goes first in each round. */
async function runAlternating([us, other]: [Contender, Contender], rounds: number, requests: number) {
  const mine: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const turns = [
      async () => mine.push(await us.round(requests)),
      async () => theirs.push(await other.round(requests)),
    ];
    for (const turn of round % 2 === 1 ? turns : turns.reverse()) await turn();
    const [a, b] = [mine.at(-1)!, theirs.at(-1)!].map(({ requestsPerSecond }) => Math.round(requestsPerSecond));
    console.error(`round ${round}: redirect ${a}/s, bare ${b}/s`);
  }
  return [mine, theirs] as const;
}

function summarize(mine: Round[], theirs: Round[], scans: { sent: number; stored: number }) {
  const [redirect, bareServer] = [figures(mine), figures(theirs)];
  const ratio = rounded(redirect.requests_per_second / bareServer.requests_per_second, 2);
  return {
    benchmark: 'redirect',
    redirect,
    bare: bareServer,
    ratio,
    scans,
    targets: { ratio: RATIO_MIN, stored: scans.sent },
    passed: ratio >= RATIO_MIN && scans.stored === scans.sent && redirect.failures + bareServer.failures === 0,
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
