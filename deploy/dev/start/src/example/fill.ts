import { linksClient, type ClientOptions } from '@waymark/client';
import type { RecordConversionBody } from '@waymark/contract/conversions';
import { apiBaseUrl, type SystemSettings } from '@waymark/launcher/process-table';
import type { Demo } from '../demo.js';
import { patientOptions } from '../patient-client.js';
import { sparse, type Progress } from '../progress.js';
import { addVisitors } from './add-visitors.js';
import { ExampleContent } from './content.js';
import { exampleConversions } from './conversions.js';
import { EARLY_BIRD } from './festival.js';
import { waitForFigures } from './figures.js';
import { exampleScans } from './scans.js';
import { sendScans } from './send-scans.js';

/** The tokens of the members who create the content, read the figures, and record conversions. */
interface ExampleTokens {
  editors: string[];
  analysts: string[];
  reporters: string[];
}

export interface ExampleTarget {
  settings: SystemSettings;
  workspace: string;
  tokens: ExampleTokens;
}

/** Spares the owner, who signs in first and has a limit of requests too. */
export function demoTokens({ users }: Demo): ExampleTokens {
  const tokensOf = (...names: string[]) => names.map((name) => users[name]!.token);
  return {
    editors: tokensOf('admin', 'editor'),
    analysts: tokensOf('analyst'),
    reporters: tokensOf('admin', 'editor', 'analyst', 'viewer'),
  };
}

/**
 * Fills a workspace with an example: eight weeks of a festival. It adds nothing to a workspace that is filled already, and
 * completes a fill that was interrupted: each step creates what is missing, and the last one marks the end.
 */
export async function fillExample({ settings, workspace, tokens }: ExampleTarget, progress: Progress): Promise<void> {
  const isQr = settings.deployment === 'qr';
  const optionsFor = (members: string[]) => patientOptions(apiBaseUrl(settings), members, progress);
  const content = new ExampleContent(optionsFor(tokens.editors), workspace, isQr, progress);
  if ((await content.findLinks()).get(EARLY_BIRD.short_code)?.status === 'archived')
    return progress(`the workspace ${workspace} has the example already: nothing was added`);

  progress(`filling the workspace ${workspace} with an example`);
  const links = await content.ensureLinks();
  const end = new Date(Math.min(Date.now(), ...links.map(({ created_at: createdAt }) => Date.parse(createdAt))));
  const scans = exampleScans(links, { workspace, end, isQr });
  progress(`sending ${scans.length} scans of eight weeks`);
  await sendScans(settings, scans);
  const conversions = isQr ? [] : exampleConversions(scans, end);
  await recordConversions(optionsFor(tokens.reporters), workspace, {
    conversions,
    atOnce: tokens.reporters.length,
    progress,
  });
  const wanted = { workspace, scans, conversionCount: conversions.length, isQr };
  if (scans.length > 0) await waitForFigures(optionsFor(tokens.analysts), wanted, progress);
  await addVisitors(settings, workspace);
  const earlyBird = links.find(({ short_code: code }) => code === EARLY_BIRD.short_code);
  if (earlyBird) await content.archiveLink(earlyBird);
  progress(`the workspace ${workspace} is filled with eight weeks of an example`);
}

interface ConversionsToRecord {
  conversions: readonly RecordConversionBody[];
  atOnce: number;
  progress: Progress;
}

async function recordConversions(
  options: ClientOptions,
  workspace: string,
  { conversions, atOnce, progress }: ConversionsToRecord,
): Promise<void> {
  const client = linksClient(options);
  const report = sparse(progress);
  const waiting = [...conversions];
  const recordAll = async () => {
    for (let body = waiting.shift(); body; body = waiting.shift()) {
      await client.POST('/api/v1/workspaces/{workspace}/conversions', { params: { path: { workspace } }, body });
      report(`recorded ${conversions.length - waiting.length} of ${conversions.length} conversions`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, recordAll));
}
