/**
 * Columns of an export that an import ignores: the platform chooses or observes their values. In a file of its own, which
 * the thread that reads imports loads quickly.
 */
export const EXPORT_ONLY_COLUMNS: readonly string[] = [
  'id',
  'short_url',
  'availability',
  'blocked_at',
  'blocked_reason',
  'scans_count',
  'last_scanned_at',
  'created_at',
  'updated_at',
];
