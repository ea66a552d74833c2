import { removeOfWorkspace, removeWhere, updateWhere, type ErasureSteps } from '@waymark/kernel/erasure/erasure-steps';
import type { Database } from '@waymark/kernel/mongo/database';

const NO_UTM = { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null };

/** A code without a link: it answers 410 for good, and no later event of the link changes it. */
const GONE = {
  workspace: '',
  title: null,
  campaignTag: null,
  destinationUrl: '',
  utmDefaults: NO_UTM,
  isArchived: true,
  startsAt: null,
  expiresAt: null,
  expiredUrl: null,
  maxScans: null,
  scansCount: 0,
  isBlocked: false,
  revision: Number.MAX_SAFE_INTEGER,
};

/** On a custom host, which may go to another workspace, nothing is left. */
export const erasureSteps = (db: Database): ErasureSteps => ({
  workspace: [
    removeWhere(db, 'targets', (workspace) => ({ workspace, hostname: { $ne: null } })),
    updateWhere(db, 'targets', { filterOf: (workspace) => ({ workspace }), update: { $set: GONE } }),
    removeOfWorkspace(db, 'hosts'),
    removeOfWorkspace(db, 'link_reports'),
    removeWhere(db, 'workspace_states', (_id) => ({ _id })),
  ],
  user: [],
});
