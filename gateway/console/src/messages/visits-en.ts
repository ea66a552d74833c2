import { isQr } from '../config/config.js';

const thing = isQr ? 'QR code' : 'link';

/** What visitors of a link get; apart from the other texts, since only the page of a link needs them. */
export const visitsEn = {
  when: {
    title: 'When',
    zone: (zone: string) => `Your time zone: ${zone}`,
    incomplete: 'Enter the date and the time.',
    clear: (name: string) => `Clear: ${name}`,
    maxScansHint: 'Scans by people; those of bots do not count. A few more may pass in the last second.',
    expiredUrlHint: 'Visitors are sent there when it has closed.',
    always: 'Always open',
    opens: (time: string) => `Opens ${time}`,
    open: 'Open',
    closes: (time: string) => `closes ${time}`,
    closesAfter: (scans: string) => `closes after ${scans}`,
    closesFirst: (time: string, scans: string) => `closes ${time} or after ${scans}, whichever comes first`,
    scans: (count: number, text: string) => (count === 1 ? `${text} scan` : `${text} scans`),
    scansSoFar: (scans: string, soFar: string) => `${scans} (${soFar} so far)`,
    closedSince: (time: string) => `Closed since ${time}`,
    usedUp: (scans: string) => `Closed, the limit of ${scans} is reached`,
    archived: 'Closed while it is archived',
    blocked: 'Blocked by the operator',
    before: `Before it opens, visitors see that the ${thing} is not available yet (404).`,
    after: isQr
      ? 'When it has closed, visitors see that it has ended (410), or go where the operator sends them.'
      : 'When it has closed, visitors go where its domain sends them, or see that the link has ended (410).',
    afterAddress: (address: string) => `When it has closed, visitors are sent to ${address}`,
  },
  where: {
    title: 'Where',
    summary: (status: string, parameters: string, hasPath: boolean) =>
      `${status}, parameters ${parameters}${hasPath ? ', path passed on' : ''}`,
    statuses: {
      301: '301 Moved permanently',
      302: '302 Found (recommended)',
      307: '307 Temporary redirect',
      308: '308 Permanent redirect',
    } as Record<string, string>,
    statusHints: {
      301: 'Search engines take the new address for the lasting one. Visits are still counted, and changes still apply.',
      302: 'What browsers, apps and search engines expect of a short link.',
      307: 'As 302, but programs that send a form or data repeat it there unchanged.',
      308: 'As 301, but programs that send a form or data repeat it there unchanged.',
    } as Record<string, string>,
    forwardExample: (from: string, to: string) => `${from} then leads to ${to}`,
    forwardOff: (from: string) => `${from} is “not found” without it.`,
  },
  blocked: {
    title: (time: string) => `Blocked by the operator since ${time}.`,
    reason: (text: string) => `Reason: ${text}`,
    text: 'Visitors see that it is blocked (451). Ask the operator of this installation if you think that is wrong.',
  },
  check: {
    title: 'Check a visit',
    intro: 'What would a visitor get, and why? The check uses what is saved, and counts nothing.',
    behind: 'Path and parameters to try',
    behindHint: `Behind the ${thing}, such as /menu?table=4`,
    device: 'Device',
    devices: {
      windows: 'Windows computer',
      iphone: 'iPhone',
      android: 'Android phone',
      search: 'Search engine (Googlebot)',
      whatsapp: 'Preview in WhatsApp',
    },
    country: 'Country',
    language: 'Language',
    any: 'Not given',
    at: 'Time of the visit',
    atHint: (zone: string) => `Empty for now. Your time zone: ${zone}`,
    submit: 'Check',
    counted: 'Counts as a scan.',
    countedBot: 'Counts as a visit by a bot, which figures leave out.',
    botPattern: (pattern: string) => `Told by “${pattern}”.`,
    notCounted: 'Not counted as a scan.',
    steps: 'Steps',
    names: {
      host: 'Host',
      code: 'Short code',
      blocked: 'Blocked',
      archived: 'Archived',
      availability: 'Time and limit',
      query: 'Parameters',
    } as Record<string, string>,
    /** By the step and its result. */
    results: {
      host: {
        default: 'The default short host',
        custom: 'A domain of this workspace',
        unknown: 'No host of this workspace',
        suspended: 'The links of this workspace are not served',
      },
      code: {
        found: `The code of this ${thing}`,
        former: `A former code of this ${thing}, which still leads there`,
        unknown: 'No such short code',
        no_code: 'Not the path of a short code',
        path_not_forwarded: 'The path behind the short code is not passed on',
      },
      blocked: { no: 'No', yes: 'Blocked by the operator' },
      archived: { no: 'No', yes: 'Archived' },
      availability: {
        available: 'Open',
        scheduled: 'Not open yet',
        expired: 'It has closed',
        used_up: 'The limit of scans is reached',
      },
      query: {
        none: 'The visitor has none',
        append: 'Passed on, only UTM parameters replaced',
        override: 'Passed on, in place of those of the same name',
        drop: 'Not passed on',
        no_destination: 'It leads to no usable address',
      },
    } as Record<string, Record<string, string>>,
    parameters: 'Parameters of the address',
    columns: { name: 'Name', value: 'Value', from: 'From' },
    from: { destination: 'Target address', utm_defaults: `UTM of the ${thing}`, visitor: 'Visitor' } as Record<
      string,
      string
    >,
  },
};
