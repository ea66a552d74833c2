import type { Stack } from '@waymark/stack/stack-types';
import { CpuShares, type CpuGroup } from './cpu-shares.js';
import { readManifestResources } from './manifest-resources.js';
import { PROCESS_NAMES } from './process-table.js';
import type { System } from './system.js';

/** A server of the stack has a machine of its own in production. */
const SERVER_CPU_MILLIS = 1000;

/** Divides the CPU of this machine between the processes of an installation as their manifests request it. */
export const divideCpu = (stack: Stack, system: System): CpuShares | null => CpuShares.divide(groupsOf(stack, system));

function groupsOf(stack: Stack, system: System): CpuGroup[] {
  const resources = readManifestResources();
  const { database, clickHouse, brokers = [] } = stack;
  const servers = { database: database ? [database] : [], clickhouse: clickHouse ? [clickHouse] : [], broker: brokers };
  return [
    ...PROCESS_NAMES.map((name) => ({
      name,
      cpuMillis: resources[name].cpuMillis,
      pids: () =>
        system
          .all()
          .filter((each) => each.name === name)
          .map(({ pid }) => pid),
    })),
    ...Object.entries(servers).map(([name, all]) => ({
      name,
      cpuMillis: SERVER_CPU_MILLIS,
      pids: () => all.flatMap((server) => server.pids()),
    })),
  ];
}
