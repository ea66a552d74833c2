import type { RouteName } from '@waymark/contract/routes';

export interface Summary {
  summary: string;
  /** What it does beyond the summary, and what the schemas cannot express. */
  notes: string;
}

const DESTINATIONS =
  'The destination is an http or https URL without credentials, with at most 2,048 characters when percent-encoded. Its host must ' +
  'contain no percent-encoding and no invisible characters. Visitors are sent to its normalized form, with up to 256 ' +
  'of their own parameters, 8 KiB in total.';
const TEXTS =
  'Texts are stored in NFC without surrounding spaces, and as `null` when they have no visible character. Control characters and ' +
  'invisible characters are rejected, except within emoji and in scripts that need them. The campaign tag cannot be `all`, which means every campaign in filters.';
const WHOLE =
  'Without `page` and `per_page` the response contains the complete list, up to a maximum: `meta.truncated` is true when there are more items.';
const CHANGES =
  '`updated_since` lists items that changed at that time or later. To follow changes, repeat the request with a time one minute before your last ' +
  'request, because a change becomes visible a moment after its time.';
const TOO_SLOW = 'A list that takes the database too long to read is a 422; `details.narrow` says how to narrow it.';
const WALK =
  'To read all pages while items are created, follow `meta.next_cursor`: new items do not shift the pages. ' + TOO_SLOW;
const TOTALS =
  'The `total` of a search, a campaign, `updated_since` or several filters is counted up to 10,000; `meta.truncated` is true ' +
  'when more match, and `links.next` leads to all of them.';
const EXPORTS = 'Each export is recorded in the audit log.';
const SCAN_EXPORTS = `${EXPORTS} The header \`X-Rows-Kept-From\` is the first day (UTC) whose rows are kept; it is absent while all rows are kept.`;
const LINK_EXPORTS =
  'The rows and their order are those of the list with the same filters. A cell that a spreadsheet might take for a formula ' +
  "has a `'` in front.";
const BULK =
  'Each id gets one result, in the order of the ids: its `status` and `error` are those of the route for one item, as if the ids were ' +
  'sent one after the other. An id that does not exist is a 404 in its result. `delete` needs the role of that route. ' +
  'All changes take effect together, each with its own event and audit entry; a request with an invalid field changes nothing.';
const SCANS_BY_DAY =
  'For each id, the scans of each of the last days, today last; a day without scans has 0, and so has every day of an id that does not exist. Counts ' +
  'as one request, however many ids. For other filters and figures, use the summary and the breakdowns.';
const LOGOS =
  'The `logo_url` of a style takes a data URL of a PNG or JPEG, not a web address. A code with a logo uses error ' +
  'correction H, and says so, because the logo covers a part of the code. Without the logo, the requested level applies again.';
const QUERY_POLICIES =
  'The final URL has the parameters of the destination in their order, followed by the others. Each of the `utm_defaults` replaces the ' +
  "destination's parameter of that name. Then the `query_policy` decides about the visitor's parameters: `append` adds them, " +
  'but replaces only the five UTM parameters, and a UTM parameter without a value (`?utm_source`) empties the default; ' +
  '`override` replaces each of the same name; `drop` removes them.';
const CODES = 'Short codes ignore case: `Spring` and `spring` are the same code.';
const EDGE =
  'A change reaches visitors shortly after the response: within 25 ms in the median and 250 ms in 99 of 100 cases, measured on a busy machine with two cores. ' +
  'Until then, a new code may answer 404.';

const QUOTA =
  'Beyond the quota: 422 whose `details.reason` is `quota_exceeded`, with `quota`, `resource`, `limit` and `current`. ' +
  'Only what is active counts.';
const RECENT_SIGN_IN =
  'Needs a sign-in, or a `POST /session/reauthenticate`, of the last 10 minutes: otherwise a 403 with `details.reauthenticate`.';
const INVITATIONS =
  'A user with that address sees it in `GET /user`; the response does not tell whether there is one. `meta.invite_url` is shown once, ' +
  'is valid for seven days, and works once. Only an owner can invite an owner. Invitations are limited per user and hour.';
const ROWS_KEPT =
  'The plan limits how long scans are kept. `rows_kept_from` is the first day (UTC) whose scans are listed and counted, or `null` ' +
  'while all scans are kept; earlier days have no scans.';
const filterLists = (example: string): string =>
  `All filters must match. Each takes several values, separated by commas; a leading \`!\` excludes them: \`${example}\`. ` +
  'Escape a comma, a `!` or a backslash in a value with a backslash.';
const TOO_MUCH = 'A request that would read or keep too much is a 422; `details.narrow` says how to narrow it.';
const SELECTION =
  `${filterLists('country=DE,AT&browser=!Safari')} A value that no scan has matches nothing. ` +
  `Summary, breakdowns, scans and export of one selection agree. ${TOO_MUCH}`;
const SUMMARY =
  'The trend has a point for each hour, day, week or month, also for those without scans; on a day on which clocks change it has ' +
  '23 or 25 hours.\n\n`compare` adds `kpis.previous`, and `previous` to every point: the figures of the same days or hours of the earlier ' +
  'range, by position or, with `previous_year`, by date. A week or month cut by the range is compared with the same number of days. The ' +
  'points add up to `kpis.previous`, except for an hour that the clocks skip in the later range. 29 February counts with the 28th ' +
  'when it is compared with a year without one. In a leap year it is compared with nothing, unless the range begins on it.';
const BREAKDOWN =
  'The values with the most scans, up to `limit`. With `meta.truncated` there are more values: raise `limit`, up to 100, or ' +
  'narrow the request by a filter or a shorter range.';
const CONVERSION_BREAKDOWNS =
  'The values with the most conversions, up to `limit`, each with the sums of its conversions by currency. The rows of a ' +
  `dimension add up to the conversions and sums of the summary.\n\n${filterLists('campaign=spring,summer&source=!app')} A filter ` +
  'that conversions do not have, such as `country`, is a 422. Conversions are kept however long the plan keeps scans. With ' +
  `\`meta.truncated\` there are more values: raise \`limit\`, up to 100, or narrow the request. ${TOO_MUCH}`;
const FILTERS =
  'One response has at most 1,000 links and 1,000 campaigns; the first response has the most recently scanned links. With ' +
  '`meta.truncated` there are more: repeat the request with `cursor` set to `meta.next_cursor`, until it is `null`. No link is ' +
  'omitted; a link that is scanned in the meantime may appear twice. A search that takes the database too long is a 422 with ' +
  '`details.narrow`.';
const CODES_KEPT =
  'Its short code, and its earlier codes, are never given to another workspace; the same workspace may use them again.';
const KEPT_FIELDS = 'A field that the body does not have keeps its value.';
const UNIQUE_NAME = 'Its name is unique among those of the workspace: a taken one is a 422 for `name`.';
const TEMPLATE_COPIES =
  'A link gets the values when it is created or changed with the `utm_template_id`; later changes of the template do not ' +
  'reach it.';
const DELIVERIES =
  'Newest first by `created_at`, to which `from` and `to` also refer. `meta.truncated` is true when more than 100,000 attempts ' +
  'match: use `to` to reach the older ones. An attempt is kept for 30 days. ' +
  TOO_SLOW +
  '\n\nAfter your endpoint was down, the platform keeps trying for about 28 hours. For older events, list the attempts since it went down. The ' +
  'newest attempt of each `delivery_id` says whether the event has arrived: send one again with `…/retry`, or all events of a period, delivered or not, with ' +
  '`…/replay`. No event is stored for an endpoint while it is disabled.';
const DELIVERY =
  'Contains the payload that every attempt sends and, for each attempt, the headers and the first kilobyte of the response ' +
  'if it is text. Values that look like secrets are replaced with `[redacted]`. `delivery` is the id of the delivery ' +
  '(`dlv_…`) or of one of its attempts (`att_…`).';

const EXPLAIN =
  'Runs the redirect’s own decision for a visit that you describe, and counts nothing. The steps are those of the redirect, in its ' +
  'order, up to the one that decides. A code or host of another workspace is explained as one that does not exist.';

const paragraphs = (...texts: string[]): string => texts.join('\n\n');

/** The type ensures that every route has a summary. */
export const SUMMARIES: Readonly<Record<RouteName, Summary>> = {
  'user.show': {
    summary: 'Show the authenticated user',
    notes:
      'Without a version in the path, the user is not wrapped in `data`. A token shows only its own workspace. For a session, the response header `X-CSRF-Token` contains the token that every ' +
      'change needs, so that a reloaded page can get it.',
  },
  'session.create': {
    summary: 'Sign in',
    notes:
      'Sets the session cookie; send `meta.csrf_token` as `X-CSRF-Token` with every change. Attempts are ' +
      'limited per address and per account; an unknown e-mail address gets the same response as a wrong password. ' +
      'A user starts at most 100 sessions an hour, unless the operator chose another limit. ' +
      'With two-factor sign-in the right password alone is a 401 with `details.totp_required`: send it again with a ' +
      '`totp_code` or a `recovery_code`. Each code works once.',
  },
  'session.reauthenticate': {
    summary: 'Confirm your session with your password',
    notes:
      'For ten minutes, what needs a recent sign-in works again. Wrong passwords count as attempts to sign in. Users who only have single ' +
      'sign-on sign in again instead.',
  },
  'session.methods': {
    summary: 'Show how browsers may sign in',
    notes: 'For sign-in pages. E-mail and password are always accepted.',
  },
  'session.startOidc': {
    summary: 'Sign in with an identity provider',
    notes:
      'For browsers: sends the browser to the OpenID provider of the installation, and sets a short-lived cookie. A 404 means that the ' +
      'operator has not set up single sign-on. A failure sends a browser that accepts `text/html` to the sign-in page of the console, ' +
      'where the console is served; every other client gets the error.',
  },
  'session.finishOidc': {
    summary: 'Complete a sign-in with an identity provider',
    notes:
      'The provider sends the browser here. Sets the session cookie and sends the browser to `return_to`; `GET /user` has the CSRF ' +
      'token. The first time, an identity is linked to the account with its verified e-mail address; it keeps this account.',
  },
  'session.delete': {
    summary: 'Sign out',
    notes:
      'Ends the session of this request at once, removes its cookie, and lets the browser empty its cache of pages.',
  },
  'session.list': {
    summary: 'List your sessions',
    notes:
      'Newest first. A session ends after 14 days, and after 3 days without use, unless the operator chose other times.',
  },
  'session.end': {
    summary: 'End one of your sessions',
    notes: 'Once this has answered the session is refused everywhere.',
  },
  'session.endOthers': { summary: 'End all of your other sessions', notes: RECENT_SIGN_IN },
  'user.update': {
    summary: 'Change your name',
    notes: 'At most 10 times an hour, unless the operator chose another limit.',
  },
  'user.changePassword': {
    summary: 'Change your password',
    notes:
      'Ends all of your other sessions. Your access tokens continue to work unless you send `revoke_tokens`: `meta.live_tokens` is the ' +
      'number of those that still work. A password has 10 to 128 characters, and is neither a common one nor your e-mail address or its part before the `@`. ' +
      'Wrong current passwords count as attempts to sign in. At most 10 changes an hour, unless the operator chose another limit.',
  },
  'user.resetPassword': {
    summary: 'Set a new password by a link',
    notes:
      'The token is the part of a one-time link behind `#`; the link is valid for an hour. Ends all of your sessions. Your access tokens ' +
      'continue to work unless you send `revoke_tokens`: `meta.live_tokens` is the number of those that still work. Two-factor sign-in ' +
      'stays enabled. The exception is a mailed link of an account that an invitation link made: it proves the address, so the ' +
      'tokens are revoked, and two-factor sign-in is disabled.',
  },
  'user.requestPasswordReset': {
    summary: 'Request a mail with a link that sets a new password',
    notes:
      'The response is the same whether or not an account has this address. Requests are limited per address and per account. A 404 ' +
      'means that the operator has not set up an SMTP server: ask the operator for a link.',
  },
  'user.startTotp': {
    summary: 'Set up two-factor sign-in',
    notes:
      'Returns a new secret (RFC 6238) for an authenticator app. It has no effect until it is confirmed with a code, within an hour. ' +
      `A 404 means that the operator has not set up two-factor sign-in. ${RECENT_SIGN_IN}`,
  },
  'user.confirmTotp': {
    summary: 'Enable two-factor sign-in',
    notes:
      'Takes a code of the new secret. Returns ten recovery codes, which are shown once: each replaces one code of the app, once. ' +
      `Your sessions continue. Wrong codes are limited like those of sign-ins. ${RECENT_SIGN_IN}`,
  },
  'user.disableTotp': {
    summary: 'Disable two-factor sign-in',
    notes:
      'Wrong passwords count as attempts to sign in. Your sessions continue. At most 10 times an hour, unless the operator chose another limit.',
  },
  'workspaces.list': { summary: 'List the workspaces of the caller', notes: 'A token lists only its own workspace.' },
  'workspaces.create': {
    summary: 'Create a workspace',
    notes:
      'The caller becomes its owner. A 403 where the operator does not allow it; `can_create_workspace` of `GET /user` says so before. The workspace gets the default plan. Attempts are limited per user and day; an attempt at a taken slug counts.',
  },
  'workspaces.show': {
    summary: 'Show a workspace',
    notes:
      'With the role of the caller, and what it uses of each limit. A count that is not known within a second is `null`; a `limit` that is ' +
      '`null` is unlimited.',
  },
  'workspaces.update': {
    summary: 'Change the name or the settings of a workspace',
    notes:
      'The slug never changes. With `require_two_factor` members without a second factor, and their tokens, get a 403 with ' +
      '`details.two_factor_required` in this workspace until they enable one with `POST /user/totp`. A caller without one cannot switch it on.',
  },
  'workspaces.delete': {
    summary: 'Delete a workspace',
    notes:
      'Erases the workspace with everything in it, which cannot be undone. The response means that no member and no token has access any more, and that its links answer 410 within a second; the stored data is removed in the background. `confirm` must be the slug. No other workspace ever gets the slug or the short codes of the default host. Export the audit log and the analytics first if you need them. ' +
      RECENT_SIGN_IN,
  },
  'members.list': { summary: 'List members', notes: `${CHANGES} A removed member is not listed. ${WHOLE}` },
  'members.add': {
    summary: 'Invite a member',
    notes: `The same as an invitation with an \`email\`: the user becomes a member by accepting it. ${INVITATIONS}`,
  },
  'invitations.list': { summary: 'List invitations', notes: `Those that wait for an answer, newest first. ${WHOLE}` },
  'invitations.create': {
    summary: 'Invite to a workspace',
    notes:
      'With an `email`, only the owner of that address can accept. Without it, anyone with the link can, once. ' +
      INVITATIONS,
  },
  'invitations.delete': {
    summary: 'Withdraw an invitation',
    notes: 'Its links stop working at once, also a mailed one. The person can be invited again.',
  },
  'invitations.show': {
    summary: 'Show the invitation of a link',
    notes:
      'For the person who has the link, before accepting. A link that is unknown, used, withdrawn or expired is a 404. ' +
      'Where `allows_new_account` is false, accepting takes an account. `email` is shown to the holder of a mailed link alone.',
  },
  'invitations.accept': {
    summary: 'Accept the invitation of a link',
    notes:
      'As a signed-in browser without a body; or, to create an account, with `name`, `email` and `password`, and then sign in. ' +
      'An address that has an account must sign in to accept. A link works once. Where the operator lets invitations make no accounts: 403. ' +
      'When the person who sent it can no longer grant the role: 409.',
  },
  'invitations.lookUp': {
    summary: 'Look up the invitation of a link',
    notes: 'The same as `GET /invitations/{token}`, with the token in the body, where no log of a proxy keeps it.',
  },
  'invitations.acceptByToken': {
    summary: 'Accept the invitation of a link by its token',
    notes: 'The same as `POST /invitations/{token}/accept`, with the token in the body.',
  },
  'user.acceptInvitation': {
    summary: 'Accept an invitation to your e-mail address',
    notes: '`GET /user` lists them. When the person who sent it can no longer grant the role: 409.',
  },
  'user.declineInvitation': {
    summary: 'Decline an invitation to your e-mail address',
    notes:
      'The invitation is gone from `GET /user` and from the list of the workspace, and its links stop working. The audit log of the ' +
      'workspace records the answer.',
  },
  'members.leave': {
    summary: 'Leave a workspace',
    notes: 'Your tokens for the workspace are revoked. The last owner cannot leave (409).',
  },
  'members.update': {
    summary: 'Change the role of a member',
    notes: 'Only an owner can grant or remove the owner role. The last owner cannot be demoted (409).',
  },
  'members.remove': {
    summary: 'Remove a member',
    notes: 'Their tokens for the workspace are revoked. The last owner cannot be removed (409).',
  },
  'tokens.list': {
    summary: 'List tokens',
    notes: `Members see their own tokens, owners and admins those of every member. The list never contains plaintext tokens. ${WHOLE}`,
  },
  'tokens.create': {
    summary: 'Mint a token',
    notes:
      '`meta.plaintext_token` is shown only in this response. The request repeated with its `Idempotency-Key` is a 409 whose ' +
      '`details.created_id` names the token: revoke it if the plaintext is lost.',
  },
  'tokens.revoke': {
    summary: 'Revoke a token',
    notes:
      'After the response the token is rejected everywhere. With `cascade=true` so are the tokens that it minted, and the tokens that ' +
      'those minted; that works for a token that has been revoked already, too.',
  },
  'links.list': {
    summary: 'List links',
    notes: paragraphs(
      'A `search` finds links by the beginnings of words of their title, destination, code and earlier codes; it ignores case ' +
        'and accents, and everything but letters and digits. ' +
        TOTALS,
      `${CHANGES} Scans, and new names or colors of its tags, do not change a link; adding or removing a tag does. A deleted link is not listed; the webhook \`link.deleted\` reports it.`,
      WALK,
    ),
  },
  'links.create': {
    summary: 'Create a link',
    notes: paragraphs(DESTINATIONS, TEXTS, CODES, QUERY_POLICIES, EDGE, QUOTA),
  },
  'links.bulk': {
    summary: 'Change many links',
    notes: paragraphs(BULK, EDGE),
  },
  'links.export': {
    summary: 'Export links as CSV',
    notes: `${LINK_EXPORTS} An import accepts the file unchanged, up to 10,000 rows: it reads the columns that a link can be created with, and ignores \`id\`, \`short_url\`, \`scans_count\` and the times. ${EXPORTS}`,
  },
  'links.show': {
    summary: 'Show a link',
    notes:
      'Active or archived, by its id. To find a link by its short code, use the `search` of the list. A program that has ids of its own can make ' +
      'the short codes from them: then a 422 with the problem `taken` says that the link exists.',
  },
  'links.update': {
    summary: 'Change a link',
    notes:
      '`utm_defaults` is merged by key; a key set to `null` is cleared, and `utm_defaults: null` clears all. A template then sets ' +
      'its values, except those that the request sets. Reactivating counts toward the quota. The short code is frozen ' +
      `after the first scan. A link also keeps the codes that it had before; no other link gets them.\n\n${EDGE}`,
  },
  'links.delete': {
    summary: 'Delete a link',
    notes: `Visitors are then answered as for a code that does not exist. ${CODES_KEPT}\n\n${EDGE}`,
  },
  'links.qr': {
    summary: 'Draw the QR code of a link',
    notes: 'The code leads to `/q/{short_code}`, whose scans count as `qr`.',
  },
  'imports.create': {
    summary: 'Import links',
    notes:
      'At most 10,000 rows and 10 MB, as JSON or CSV (separated with commas, semicolons or tabs; the first line names the columns; ' +
      '`tag_ids` are separated with semicolons or commas). The file of an export of links is accepted unchanged. Each row follows the rules of the body of a single create.\n\nA dry run changes nothing and ' +
      'reports what would happen to every row; its `options` always show it. Poll the progress at the ' +
      '`Location`, and read the result of each row at `rows`.\n\nA workspace has at most 20 unfinished imports; further ones get 422 as for a quota, with the resource `unfinished_imports`.',
  },
  'imports.list': {
    summary: 'List imports',
    notes:
      'Newest first, without their errors. An import is kept for 90 days after its end, and the newest 200 of a workspace.',
  },
  'imports.show': {
    summary: 'Show the progress of an import',
    notes:
      '`errors` holds the first 1,000 errors. When there are more, `meta.truncated` is true and `meta.rows_url` lists every row.',
  },
  'imports.rows': {
    summary: 'List the results of the rows of an import',
    notes:
      'One result for each processed row, in the order of the rows: use it to match your records with the links. ' +
      '`outcome=failed` lists all errors. A row that matches a link and changes none of its fields is `unchanged`. A dry ' +
      'run has no `link_id` and no generated code. Results are kept until `rows_kept_until` of the import, ' +
      '30 days; after that, the response is 404.',
  },
  'qr_codes.list': {
    summary: 'List QR codes',
    notes: paragraphs(
      TOTALS,
      `${CHANGES} Scans do not change a QR code. A deleted QR code is not listed; the webhook \`qr_code.deleted\` reports it.`,
      WALK,
    ),
  },
  'qr_codes.create': {
    summary: 'Create a QR code',
    notes: paragraphs(LOGOS, DESTINATIONS, TEXTS, CODES, QUERY_POLICIES, EDGE, QUOTA),
  },
  'qr_codes.bulk': { summary: 'Change many QR codes', notes: paragraphs(BULK, EDGE) },
  'qr_codes.export': {
    summary: 'Export QR codes as CSV',
    notes: `${LINK_EXPORTS} The file does not contain logos. ${EXPORTS}`,
  },
  'qr_codes.show': {
    summary: 'Show a QR code',
    notes: 'Active or archived, with the style of its image. The image itself is at `…/image`.',
  },
  'qr_codes.update': {
    summary: 'Change a QR code',
    notes: `${KEPT_FIELDS} Reactivating counts toward the quota. ${EDGE}`,
  },
  'qr_codes.delete': {
    summary: 'Delete a QR code',
    notes: `Visitors are then answered as for a code that does not exist. ${CODES_KEPT}\n\n${EDGE}`,
  },
  'qr_codes.image': {
    summary: 'Draw a QR code',
    notes:
      'In the style of the QR code; the parameters of a style replace it in this image only, to try it before it is stored. `size` is that of the image.',
  },
  'links.explain': { summary: 'Explain what a visitor gets', notes: EXPLAIN },
  'qr_codes.explain': { summary: 'Explain what a visitor gets', notes: EXPLAIN },
  'folders.list': { summary: 'List folders', notes: WHOLE },
  'folders.create': {
    summary: 'Create a folder',
    notes: `${UNIQUE_NAME} A link enters a folder by its \`folder_id\`; it is in one folder at most.`,
  },
  'folders.show': {
    summary: 'Show a folder',
    notes: 'With the number of its links. To list them, filter links by `folder_id`.',
  },
  'folders.update': { summary: 'Change a folder', notes: `${KEPT_FIELDS} ${UNIQUE_NAME} Its links do not change.` },
  'folders.delete': {
    summary: 'Delete a folder',
    notes: 'Its links stay, and leave the folder: at once, or a little later where there are more than a thousand.',
  },
  'tags.list': { summary: 'List tags', notes: WHOLE },
  'tags.create': {
    summary: 'Create a tag',
    notes: `${UNIQUE_NAME} Case makes no difference: \`Sale\` and \`sale\` are one name. A link gets tags by its \`tag_ids\`.`,
  },
  'tags.show': {
    summary: 'Show a tag',
    notes: 'With the number of its links. To list them, filter links by `tag_id`.',
  },
  'tags.update': {
    summary: 'Change a tag',
    notes: `${KEPT_FIELDS} ${UNIQUE_NAME} Its links show the new name and color: their \`ETag\` is another one, their \`updated_at\` stays.`,
  },
  'tags.delete': {
    summary: 'Delete a tag',
    notes: 'Its links stay, and lose the tag: at once, or a little later where there are more than a thousand.',
  },
  'utm_templates.list': { summary: 'List UTM templates', notes: WHOLE },
  'utm_templates.create': { summary: 'Create a UTM template', notes: `${UNIQUE_NAME} ${TEMPLATE_COPIES}` },
  'utm_templates.show': { summary: 'Show a UTM template', notes: TEMPLATE_COPIES },
  'utm_templates.update': {
    summary: 'Change a UTM template',
    notes: `${KEPT_FIELDS} ${UNIQUE_NAME} ${TEMPLATE_COPIES}`,
  },
  'utm_templates.delete': {
    summary: 'Delete a UTM template',
    notes: 'Links that were created or changed with it keep their values.',
  },
  'conversions.list': {
    summary: 'List conversions',
    notes: `Newest first unless \`sort\` says otherwise. Pages by number end after 100,000 conversions; \`meta.truncated\` is true when there are more, and \`cursor\` reads them all.\n\n${CHANGES}\n\n${WALK}`,
  },
  'conversions.record': {
    summary: 'Record a conversion',
    notes:
      'Name the link by its `id`, or by its current or an earlier `short_code`. An `external_id` is unique for each ' +
      '`source`: a repeated one gets 200 with the first record, and sends no second webhook. While the link cannot be looked ' +
      'up, the response is 202 with `status: pending`. The conversion is recorded later, or `rejected` if its link does not ' +
      'exist; the list of conversions shows which. A rejected one can be sent again with its `external_id`.',
  },
  'analytics.summary': {
    summary: 'Summarize scans and conversions',
    notes: paragraphs(SELECTION, SUMMARY, ROWS_KEPT),
  },
  'analytics.qr_summary': { summary: 'Summarize scans', notes: paragraphs(SELECTION, SUMMARY, ROWS_KEPT) },
  'analytics.scans': { summary: 'List scans', notes: paragraphs(SELECTION, ROWS_KEPT) },
  'analytics.qr_scans': { summary: 'List scans', notes: paragraphs(SELECTION, ROWS_KEPT) },
  'analytics.links': { summary: 'Count the scans of links by day', notes: paragraphs(SCANS_BY_DAY, ROWS_KEPT) },
  'analytics.qr_codes': { summary: 'Count the scans of QR codes by day', notes: paragraphs(SCANS_BY_DAY, ROWS_KEPT) },
  'analytics.filters': { summary: 'List the filter values of scans', notes: FILTERS },
  'analytics.qr_filters': { summary: 'List the filter values of scans', notes: FILTERS },
  'analytics.breakdown': { summary: 'Rank scans by a dimension', notes: paragraphs(BREAKDOWN, SELECTION) },
  'analytics.breakdowns': {
    summary: 'Rank scans by several dimensions',
    notes: paragraphs(`Counts as one request, however many dimensions. ${BREAKDOWN}`, SELECTION),
  },
  'analytics.qr_breakdowns': {
    summary: 'Rank scans by several dimensions',
    notes: paragraphs(`Counts as one request, however many dimensions. ${BREAKDOWN}`, SELECTION),
  },
  'analytics.conversion_breakdowns': {
    summary: 'Rank conversions by several dimensions',
    notes: `Counts as one request, however many dimensions. ${CONVERSION_BREAKDOWNS}`,
  },
  'analytics.export': { summary: 'Export scans as CSV', notes: SCAN_EXPORTS },
  'analytics.qr_export': { summary: 'Export scans as CSV', notes: SCAN_EXPORTS },
  'webhooks.list': { summary: 'List webhook endpoints', notes: WHOLE },
  'webhooks.create': {
    summary: 'Create a webhook endpoint',
    notes:
      '`meta.signing_secret` is shown only in this response. A workspace has at most 20 endpoints. The URL is not called before the first ' +
      'event: send a test event to see whether it answers.',
  },
  'webhooks.show': {
    summary: 'Show a webhook endpoint',
    notes: 'With its `status`, and how many deliveries have failed in a row. The signing secret is not shown again.',
  },
  'webhooks.update': {
    summary: 'Change a webhook endpoint',
    notes:
      `${KEPT_FIELDS} Once this has answered, no attempt starts with the former settings. \`rotate_secret: true\` creates a new ` +
      '`meta.signing_secret`; both secrets sign for 24 hours. Enabling it again forgets earlier failures.',
  },
  'webhooks.delete': {
    summary: 'Delete a webhook endpoint and its delivery log',
    notes: 'A `read_only` token of an owner or admin is enough.',
  },
  'webhooks.deliveries': { summary: 'List delivery attempts', notes: DELIVERIES },
  'webhooks.qr_deliveries': { summary: 'List delivery attempts', notes: DELIVERIES },
  'webhooks.delivery': { summary: 'Show a delivery', notes: DELIVERY },
  'webhooks.qr_delivery': { summary: 'Show a delivery', notes: DELIVERY },
  'webhooks.test': {
    summary: 'Send a test event',
    notes:
      'Sends a `webhook.test` to this endpoint, once, also while it is disabled. Show the delivery by its `delivery_id` to see the ' +
      'outcome. A failure counts for nothing; a success makes a failing endpoint healthy.',
  },
  'webhooks.retry_delivery': {
    summary: 'Deliver an event again',
    notes:
      'Sends it at once, whatever its status: a scheduled attempt is made now, and one in progress stays the only one. Also while the ' +
      'endpoint is disabled, then once. A delivery that was tried 200 times is a 409.',
  },
  'webhooks.replay': {
    summary: 'Deliver the events of a period again',
    notes:
      'Repeats every delivery whose event occurred between `from` and `to`, delivered or not, except test ' +
      'events. The response contains their number; they are sent in the background, between new events. More than 10,000 get 422, ' +
      'and so do those that take more than 10 seconds to count: replay a shorter period. A second replay of the endpoint while one is being scheduled gets 409.',
  },
  'domains.list': { summary: 'List custom domains', notes: WHOLE },
  'domains.create': {
    summary: 'Register a custom domain',
    notes:
      'Put the records of `dns` into the zone. The first check is queued at once; further ones follow after 1, 5, 15 and 60 minutes, then ' +
      'every hour, for 3 days. Several workspaces may register one hostname: the first whose TXT record is found gets it.',
  },
  'domains.show': {
    summary: 'Show a custom domain',
    notes: 'With the records to put into the DNS zone, and the result of the last check of the TXT record.',
  },
  'domains.update': {
    summary: 'Change what a custom domain answers beside its links',
    notes:
      'The URLs must lead neither to this domain nor to a host that serves links. The files let apps open its links. The hostname ' +
      'cannot be changed.',
  },
  'domains.delete': {
    summary: 'Remove a custom domain',
    notes:
      'The hostname stops serving within a second. Its links move to the default host in the background; a short code that is taken there ' +
      'is replaced, which `link.updated` reports.',
  },
  'domains.verify': {
    summary: 'Queue a check of the DNS records',
    notes:
      'The check is made soon, at the earliest five seconds after the last one: show the domain until `last_checked_at` changes. It ' +
      'restarts the verification of a domain that is not verified.',
  },
  'audit_logs.list': {
    summary: 'List audit log entries',
    notes: `Newest first. Pages by number end after 100,000 entries; \`meta.truncated\` is true when there are more, and \`cursor\` reads them all. ${WALK}`,
  },
  'audit_logs.export': {
    summary: 'Export audit log entries as CSV',
    notes: `Every entry that matches the filters, with the hashes that prove the chain. ${EXPORTS}`,
  },
  'audit_logs.verify': {
    summary: 'Verify the hash chain of the audit log',
    notes:
      'Reads the whole chain, and names the first entry that was changed, removed or added. A long log takes a while: white space before ' +
      'the JSON keeps the connection open. One request at a time verifies a log; another one is a 409 with `Retry-After`.',
  },
  'openapi.show': {
    summary: 'Describe the API',
    notes: 'This document, with the operations of this deployment: that of links, or that of QR codes.',
  },
};
