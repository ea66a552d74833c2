interface EventDescription {
  summary: string;
  /** When it is sent, and what its data is. */
  description: string;
}

const LATER_CHANGE = 'A change with a later `updated_at` supersedes an earlier one, in whichever order they arrive.';

/** The events of one kind of content, which its field in the data names. */
function contentEvents(field: 'link' | 'qr_code', noun: string): Record<string, EventDescription> {
  const data = `\`${field}\` is the ${noun} as \`GET\` shows it after the change, without \`scans_count\` and \`last_scanned_at\`;`;
  const changes = `${data} \`changes\` are those of the audit log. ${LATER_CHANGE}`;
  const same = `The data is that of \`${field}.updated\`.`;
  const silent = field === 'link' ? 'Scans, and the deletion of its folder or tag, send none.' : 'Scans send none.';
  const alsoMany = field === 'link' ? ', also by an import' : '';
  return {
    [`${field}.created`]: {
      summary: `A ${noun} was created`,
      description: `Sent for each new ${noun}${alsoMany}. ${data} \`changes\` has every field that has a value, from \`null\`.`,
    },
    [`${field}.updated`]: {
      summary: `A ${noun} was changed`,
      description: `Sent for each change of the ${noun} that no other event names. ${silent} ${changes}`,
    },
    [`${field}.archived`]: {
      summary: `A ${noun} was archived`,
      description: `Sent when the ${noun} stops serving: visitors get a 410. ${same}`,
    },
    [`${field}.reactivated`]: {
      summary: `A ${noun} was reactivated`,
      description: `Sent when an archived ${noun} serves visitors again. ${same}`,
    },
    [`${field}.blocked`]: {
      summary: `A ${noun} was blocked`,
      description: `Sent when the operator blocks the ${noun} or its destination: visitors get a 451. ${same}`,
    },
    [`${field}.unblocked`]: {
      summary: `A ${noun} was unblocked`,
      description: `Sent when a block ends. ${same}`,
    },
    [`${field}.expired`]: {
      summary: `A ${noun} expired`,
      description:
        `Sent once when the ${noun} ends: within a minute after \`expires_at\`, or when its scans reach \`max_scans\`. ` +
        `${data} \`changes\` has the \`availability\` alone.`,
    },
    [`${field}.deleted`]: {
      summary: `A ${noun} was deleted`,
      description:
        `Sent when the ${noun} is gone for good. \`${field}\` is the ${noun} as it was before, without ` +
        '`scans_count` and `last_scanned_at`; `changes` has every field that had a value, to `null`.',
    },
  };
}

/** By event type, of both deployments. */
export const WEBHOOK_EVENTS: Readonly<Record<string, EventDescription>> = {
  'scan.logged': {
    summary: 'A visitor scanned a short URL or a QR code',
    description:
      'Sent for every scan that is counted; bots are not. `scan` is a row of `GET …/analytics/scans`, and beside it is what ' +
      'was scanned, as it was then.',
  },
  'conversion.recorded': {
    summary: 'A conversion was recorded',
    description:
      'Sent once for each conversion that is recorded: neither for a repeated `external_id` of a `source`, nor while it is ' +
      'pending or when it is rejected. `conversion` is a row of `GET …/conversions`, `link` the link that it belongs to.',
  },
  ...contentEvents('link', 'link'),
  ...contentEvents('qr_code', 'QR code'),
  'link.import_completed': {
    summary: 'An import of links ended',
    description:
      'Sent when an import has processed its rows, or failed on the way; `status` says which. `import` has its figures, and ' +
      '`GET …/links/imports/{id}/rows` the result of each row. With `options.dry_run` nothing was changed.',
  },
  'domain.verified': {
    summary: 'A custom domain was verified',
    description:
      'Sent when the TXT record of a domain is found, for the first time or after it was missing: links are served from ' +
      'its hostname. `domain` is the domain after the check.',
  },
  'domain.degraded': {
    summary: 'A custom domain lost its TXT record',
    description:
      'Sent when a check finds the TXT record of a verified domain missing. Links are still served; after 3 days without it the ' +
      'domain fails. `domain` is the domain after the check.',
  },
  'domain.failed': {
    summary: 'A custom domain failed',
    description:
      'Sent when the TXT record of a domain was not found for 3 days: no links are served from its hostname any more. ' +
      '`domain` is the domain after the check.',
  },
  'webhook.disabled': {
    summary: 'A webhook endpoint was disabled',
    description:
      'Sent to the other endpoints of the workspace when Waymark disables one that keeps failing or answers 410, or a member ' +
      'does. `webhook` is the endpoint.',
  },
  'webhook.test': {
    summary: 'A member asked for a test event',
    description:
      'Sent to one endpoint when `POST …/webhooks/{id}/test` asks for it; no endpoint subscribes to it. It is sent once, and ' +
      'a failure counts for nothing. `webhook` is the endpoint.',
  },
};
