import { z } from 'zod';
import { timestamp } from './common.js';
import { asIssue, notAllowed, outOfRange, tooLarge, timeInvalid, tooSmall, wrongType } from './problems.js';
import { httpUrl } from './url.js';

/** The fields of links and QR codes that say when visitors are redirected, and how. */

export const AVAILABILITIES = ['scheduled', 'available', 'expired', 'used_up', 'blocked', 'archived'] as const;
export const availability = z
  .enum(AVAILABILITIES)
  .describe(
    '`scheduled` before `starts_at`, `expired` after `expires_at`, `used_up` by `max_scans`, `blocked` by the operator, ' +
      '`archived`; else `available`. Only `available` redirects visitors to the destination.',
  );
export type Availability = z.infer<typeof availability>;

const YEAR_2000 = Date.UTC(2000, 0);
const YEAR_10000 = Date.UTC(10_000, 0);
const isPlausible = (text: string) => Date.parse(text) >= YEAR_2000 && Date.parse(text) < YEAR_10000;

/** A point in time with its offset, in the form in which answers have it. */
export const pointInTime = (name: string) =>
  z.iso
    .datetime({
      offset: true,
      error: timeInvalid(name, 'be a date and time with an offset, such as 2030-03-04T09:00:00+01:00').message,
      abort: true,
    })
    .refine(isPlausible, {
      ...asIssue(outOfRange(name, 'be between the years 2000 and 9999')),
      abort: true,
    })
    .transform((text) => new Date(text).toISOString());

export const MAX_SCANS_MAX = 1_000_000_000;
const maxScans = z
  .int({ error: wrongType('max_scans', 'integer').message })
  .min(1, asIssue(tooSmall('max_scans', 1)))
  .max(MAX_SCANS_MAX, asIssue(tooLarge('max_scans', MAX_SCANS_MAX)));

const STATUSES = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof STATUSES)[number];
/** The status of links stored, and events published, before links had one. */
export const DEFAULT_REDIRECT_STATUS = 302 satisfies RedirectStatus;
const redirectStatus = z.literal(STATUSES, asIssue(notAllowed('redirect_status', STATUSES.map(String))));
const forwardPath = z.boolean({ error: wrongType('forward_path', 'boolean').message });

const STARTS_AT = 'When it begins to redirect visitors; before that they get a 404';
const EXPIRES_AT = 'When it stops, later than `starts_at`; it may be in the past';
const EXPIRED_URL = 'Where visitors are sent after its end, else to the `expired_url` of its domain, else a 410';
const MAX_SCANS =
  'Scans by people after which it stops. Exact where one redirect process runs; several may let the visitors of about a ' +
  'second more pass, so a limit for offers, not for vouchers';
const REDIRECT_STATUS = 'HTTP status of redirects; none is cached, so that visits count and edits apply';
const FORWARD_PATH = 'Whether a path behind the short URL is added to the destination’s, instead of a 404';

export const visitFields = {
  starts_at: pointInTime('starts_at').nullable().describe(`${STARTS_AT}. \`null\`: at once.`),
  expires_at: pointInTime('expires_at').nullable().describe(`${EXPIRES_AT}. \`null\`: never.`),
  expired_url: httpUrl('expired_url').nullable().describe(`${EXPIRED_URL}; \`null\` for none of its own.`),
  max_scans: maxScans.nullable().describe(`${MAX_SCANS}. \`null\`: no limit.`),
  redirect_status: redirectStatus.describe(`${REDIRECT_STATUS}.`),
  forward_path: forwardPath.describe(`${FORWARD_PATH}.`),
};

const absentIfNull = <T extends z.ZodType>(schema: T) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();
/** The fields of a new link for which `null`, as generated clients send it, takes the default. */
export const chosenVisitFields = {
  redirect_status: absentIfNull(redirectStatus).describe(`${REDIRECT_STATUS}. 302 unless given.`),
  forward_path: absentIfNull(forwardPath).describe(`${FORWARD_PATH}. \`false\` unless given.`),
};

export const visitShape = {
  starts_at: timestamp.nullable().describe(`${STARTS_AT}. \`null\`: at once.`),
  expires_at: timestamp.nullable().describe(`${EXPIRES_AT}. \`null\`: never.`),
  expired_url: z.string().nullable().describe(`${EXPIRED_URL}; \`null\` for none of its own.`),
  max_scans: z.int().nullable().describe('Scans by people after which it stops; `null` for no limit.'),
  redirect_status: z.literal(STATUSES).describe(`${REDIRECT_STATUS}.`),
  forward_path: z.boolean().describe(`${FORWARD_PATH}.`),
};

/** The same fields in events; absent in events of earlier versions. */
export const visitSnapshot = z.object(visitShape).partial().shape;
