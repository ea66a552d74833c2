import { accessSync, constants } from 'node:fs';
import { z } from 'zod';
import { shortHostConfig } from '@waymark/contract/short-hosts';
import {
  apiConfig,
  brokerConfig,
  databaseConfig,
  destinationConfig,
  processConfig,
  setting,
} from '@waymark/kernel/process/config';

/** At these caps, a list without pages stays below 10 MB even with the largest items. */
const LARGEST_CAP = { folders: 5000, tags: 5000, utmTemplates: 2000 };

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

export const resourceConfig = processConfig.extend({
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
  ...shortHostConfig.shape,
  ...destinationConfig.shape,
  /** A file of hosts and beginnings of URLs to which no link may lead, one a line; reloaded when it changes. */
  DESTINATION_BLOCKLIST: z.string().refine(isReadable, 'must be a file that can be read').optional(),
  /** A service that says of URLs whether links may lead there. */
  DESTINATION_CHECK_URL: setting.serverUrl(/^https?:$/, 'must be an http or https URL').optional(),
  MAX_FOLDERS_PER_WORKSPACE: setting.integer(1).max(LARGEST_CAP.folders).default(1000),
  MAX_TAGS_PER_WORKSPACE: setting.integer(1).max(LARGEST_CAP.tags).default(1000),
  MAX_UTM_TEMPLATES_PER_WORKSPACE: setting.integer(1).max(LARGEST_CAP.utmTemplates).default(500),
  /** Links in any status, on every plan: an unlimited plan has no other limit. */
  MAX_LINKS_PER_WORKSPACE: setting.integer(1).default(1_000_000),
});
export type ResourceConfig = z.output<typeof resourceConfig>;
