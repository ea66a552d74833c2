import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NameServer } from '@waymark/testing/name-server';
import { waitFor } from '@waymark/testing/wait-for';
import type { Report } from '../harness/report.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';

const DOMAINS = 20;
const PHASE_MS = 5000;
const FALLBACK = 'https://example.com/lost';

interface Domain {
  id: string;
  hostname: string;
  status: string;
  dns: { txt: { name: string; value: string } };
}

/**
 * Three name servers that lie, fail and die while verified domains are checked ten times a second by two processes, one
 * of which is killed repeatedly: no domain is lost or degraded, none causes an event, and every host serves throughout.
 * Then half of the records are removed: exactly those domains are lost.
 */
export async function dnsFaults(): Promise<Report> {
  const servers = await Promise.all([NameServer.start(), NameServer.start(), NameServer.start()]);
  const settings = {
    DNS_SERVERS: servers.map(({ address }) => address).join(','),
  };
  const options = { envOf: { domain: settings }, entries: { domain: join(__dirname, 'frequent-checks-server.js') } };
  try {
    return await withEnvironment(options, (environment) => lieAndDie(environment, servers));
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function lieAndDie(environment: Environment, servers: NameServer[]): Promise<Report> {
  await environment.system.startReplica('domain');
  const domains = await verifiedDomains(environment, servers);
  const visitors = visitAll(environment, domains);
  const killer = killAgainAndAgain(environment);
  const [first, second, third] = servers as [NameServer, NameServer, NameServer];
  const phases: [string, () => void][] = [
    ['one says that nothing is there', () => void (first.manner = 'NXDOMAIN')],
    ['one is silent', () => void (first.manner = 'silent')],
    ['two are silent', () => void (second.manner = 'silent')],
    ['two fail, one lies', () => ((first.manner = second.manner = 'SERVFAIL'), (third.manner = 'NXDOMAIN'))],
    ['all refuse', () => servers.forEach((server) => (server.manner = 'REFUSED'))],
    ['all are silent', () => servers.forEach((server) => (server.manner = 'silent'))],
  ];
  for (const [what, begin] of phases) {
    environment.say(what);
    for (const server of servers) server.manner = 'truthful';
    begin();
    await sleep(PHASE_MS);
  }
  for (const server of servers) server.manner = 'truthful';
  const kills = await killer.stop();
  const seen = await visitors.stop();
  const falseAlarms = await transitions(environment, ['domain.degraded', 'domain.failed']);

  environment.say('half of the records are taken away');
  const [lost, kept] = [domains.slice(0, DOMAINS / 2), domains.slice(DOMAINS / 2)];
  for (const server of servers) for (const { dns } of lost) server.removeName(dns.txt.name);
  for (const { id } of lost)
    await waitFor(`${id} to be lost`, async () => (await show(environment, id)).status === 'failed', 30_000);
  const stillServing = (await Promise.all(kept.map(({ id }) => show(environment, id)))).every(
    ({ status }) => status === 'verified',
  );
  const trueLosses = await transitions(environment, ['domain.failed'], lost.length);
  const questions = servers.reduce((sum, server) => sum + server.questions, 0);
  return {
    domains: DOMAINS,
    dns_questions: questions,
    kills,
    false_lost: falseAlarms,
    visits: seen.visits,
    visits_not_served: seen.notServed,
    lost: lost.length,
    told_lost: trueLosses,
    passed: falseAlarms === 0 && seen.notServed === 0 && seen.visits > 0 && trueLosses === lost.length && stillServing,
  };
}

const show = async (environment: Environment, id: string) =>
  (await callApi(environment.demo, 'GET', `/domains/${id}`)).data as Domain;

async function verifiedDomains(environment: Environment, servers: NameServer[]): Promise<Domain[]> {
  const domains: Domain[] = [];
  for (let index = 0; index < DOMAINS; index += 1) {
    const hostname = `go${index}.acme.com`;
    const domain = (await callApi(environment.demo, 'POST', '/domains', { hostname })).data as Domain;
    for (const server of servers) server.setTexts(domain.dns.txt.name, domain.dns.txt.value);
    await callApi(environment.demo, 'PATCH', `/domains/${domain.id}`, { not_found_url: FALLBACK });
    domains.push(domain);
  }
  for (const { id, hostname } of domains) {
    await waitFor(`${id} to be verified`, async () => (await show(environment, id)).status === 'verified', 30_000);
    await waitFor(
      `${hostname} to serve`,
      async () => (await visit(environment.system.shortUrl, hostname)) === 302,
      30_000,
    );
  }
  return domains;
}

/** Counts the audit log's entries of these actions, once there are as many as expected. */
async function transitions(environment: Environment, actions: string[], expected = 0): Promise<number> {
  const count = async () => {
    const pages = await Promise.all(
      actions.map((action) => callApi(environment.demo, 'GET', `/audit-logs?action=${action}&per_page=100`)),
    );
    return pages.flatMap(({ data }) => data as unknown[]).length;
  };
  await waitFor('the audit log', async () => (await count()) >= expected, 30_000);
  // Duplicate entries would arrive right after.
  await sleep(3000);
  return count();
}

function visitAll(environment: Environment, domains: Domain[]) {
  const seen = { visits: 0, notServed: 0 };
  let stopped = false;
  const done = (async () => {
    for (let index = 0; !stopped; index += 1) {
      const status = await visit(environment.system.shortUrl, domains[index % domains.length]!.hostname);
      seen.visits += 1;
      if (status !== 302) seen.notServed += 1;
      await sleep(10);
    }
  })();
  return { stop: () => ((stopped = true), done.then(() => seen)) };
}

function visit(shortUrl: string, host: string): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = request(`${shortUrl}/nothing`, { headers: { host } }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode!)),
    );
    outgoing.on('error', () => resolve(0)).end();
  });
}

/** Kills a process that the gateway does not need while its replica answers; checks in progress die with it. */
function killAgainAndAgain(environment: Environment) {
  const domain = environment.system.process('domain');
  let stopped = false;
  const done = (async () => {
    let kills = 0;
    while (!stopped) {
      await sleep(300 + Math.random() * 700);
      await domain.kill();
      kills += 1;
      await domain.start();
    }
    return kills;
  })();
  return { stop: () => ((stopped = true), done) };
}
