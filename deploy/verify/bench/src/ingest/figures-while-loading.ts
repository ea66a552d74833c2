import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import type { AnalyticsInstallation } from '../analytics-installation.js';
import { Bystander } from '../analytics/bystander.js';

const UNDISTURBED_MS = 10_000;

/** Asks for the figures of a small workspace: first alone, then while a backlog is stored and loaded. */
export async function figuresWhileLoading(installation: AnalyticsInstallation, loadBacklog: () => Promise<void>) {
  const warehouse = createClient({ url: installation.env['CLICKHOUSE_URL'] });
  try {
    const bystander = new Bystander(installation.caller);
    await bystander.fill(installation, warehouse);
    const undisturbed = await bystander.measureBeside(() => sleep(UNDISTURBED_MS));
    const whileLoading = await bystander.measureBeside(loadBacklog);
    const passed = whileLoading.answered > 0 && whileLoading.refused === 0;
    return { undisturbed, while_loading: whileLoading, passed };
  } finally {
    await warehouse.close();
  }
}
