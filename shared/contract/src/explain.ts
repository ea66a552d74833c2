import { z } from 'zod';
import { item, requiredText } from './common.js';
import { asIssue, conflicting, formatInvalid, tooLong } from './problems.js';
import { EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';
import { pointInTime } from './visit-fields.js';

const URL_LENGTH_MAX = 8192;
const HEADER_LENGTH_MAX = 2048;

const shortUrl = requiredText('url')
  .trim()
  .max(URL_LENGTH_MAX, asIssue(tooLong('url', URL_LENGTH_MAX)))
  .refine(
    (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
    asIssue(formatInvalid('url', 'be an http or https URL')),
  );
const header = (name: string) =>
  requiredText(name)
    .max(HEADER_LENGTH_MAX, asIssue(tooLong(name, HEADER_LENGTH_MAX)))
    .nullish();
const id = (name: string) =>
  requiredText(name)
    .max(64, asIssue(tooLong(name, 64)))
    .nullish();
const code = (name: string, pattern: RegExp, rule: string) =>
  requiredText(name).regex(pattern, asIssue(formatInvalid(name, rule)));

const visit = {
  url: shortUrl
    .nullish()
    .describe('Short URL as a visitor opens it, with path and query. Either this or the id is required.'),
  user_agent: header('user_agent').describe('`User-Agent` of the visitor; a current desktop browser unless given.'),
  referrer: header('referrer').describe('`Referer` of the visitor; none unless given.'),
  country: code('country', /^[A-Z]{2}$/, 'be two capital letters (ISO 3166)')
    .nullish()
    .describe('Country of the visitor, ISO 3166, e.g. `AT`.'),
  language: code('language', /^[a-z]{2,3}(?:-[A-Za-z0-9-]{1,32})?$/, 'be a language tag such as de or de-AT')
    .nullish()
    .describe('Preferred language of the visitor, e.g. `de`.'),
  at: pointInTime('at').nullish().describe('Time of the visit, ISO 8601; now unless given.'),
};

const oneOfBoth = <T extends z.ZodObject>(schema: T, field: 'link_id' | 'qr_code_id') =>
  schema.refine((given) => (given['url'] == null) !== (given[field] == null), {
    ...asIssue(conflicting(`Give either url or ${field}.`, field)),
    path: ['url'],
    when: () => true,
  });

export const explainLink = oneOfBoth(
  z.object({ ...visit, link_id: id('link_id').describe('Link to visit by its short URL, in place of `url`.') }),
  'link_id',
).describe('A visit to explain.');
export const explainQrCode = oneOfBoth(
  z.object({ ...visit, qr_code_id: id('qr_code_id').describe('QR code to scan, in place of `url`.') }),
  'qr_code_id',
).describe('A visit to explain.');
export type ExplainBody = z.infer<typeof explainLink> & Pick<z.infer<typeof explainQrCode>, 'qr_code_id'>;

export const explainStep = z.object({
  step: z
    .enum(['host', 'code', 'blocked', 'archived', 'availability', 'query'])
    .describe('What is decided, in this order; the last one listed decides the answer.'),
  result: z.string().describe('Outcome of the step, a word such as `found`, `no` or `expired`.'),
  because: z.string().describe('Reason, in English, for people; may change.'),
});
export type ExplainStep = z.infer<typeof explainStep>;

export const explanation = z
  .object({
    status: z.int().describe('HTTP status of the answer.'),
    location: z.string().nullable().describe('Where the visitor is sent; `null` if nowhere.'),
    steps: z.array(explainStep).describe('How the redirect decides, up to the step that decides the answer.'),
    scan: z
      .object({
        counted: z
          .boolean()
          .describe('Whether such a visit counts as a scan; those of bots are stored, but not counted.'),
        is_bot: z.boolean().describe('Whether it counts as a visit by a bot.'),
        bot_pattern: z.string().nullable().describe('The part of the user agent that tells a bot; else `null`.'),
      })
      .describe('How the visit would be counted.'),
    parameters: z
      .array(
        z.object({
          name: z.string().describe('Name of the parameter, decoded.'),
          value: z.string().describe('Value of the parameter, decoded.'),
          from: z
            .enum(['destination', 'utm_defaults', 'visitor'])
            .describe('Whether the destination, the UTM parameters of the link or the visitor’s URL has it.'),
        }),
      )
      .describe('Query parameters of `location`, in their order; empty unless it is the destination.'),
  })
  .describe('What a visitor gets, and why.');
export type ExplanationBody = z.infer<typeof explanation>;

const route = {
  method: 'POST',
  path: '/workspaces/{workspace}/explain',
  versions: ['v1'],
  service: 'resource',
  access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
  response: { status: 200, schema: item(explanation) },
} as const;

export const explainRoutes = {
  'links.explain': { ...route, deployments: ['links'], body: explainLink },
  'qr_codes.explain': { ...route, deployments: ['qr'], body: explainQrCode },
} as const satisfies Record<string, RouteDefinition>;
