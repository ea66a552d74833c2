import type { CreateLinkBody } from '@waymark/contract/links';
import { rangeInvalid, tooMany, unchangeable, type FieldProblems } from '@waymark/contract/problems';
import type { CreateQrCodeBody } from '@waymark/contract/qr-codes';
import { DEFAULT_QR_STYLE, qrStyleProblems } from '@waymark/contract/qr-style';
import { invalid } from '@waymark/kernel/errors';
import { changeTimeAfter, withDerivedFields, completed, isSameAddress, NO_UTM, type Link } from './link.js';
import type { References } from './references.js';

/** The fields of a body for a link or a QR code; each deployment's schema lets its own fields through. */
export type LinkInput = Partial<CreateLinkBody> & Pick<CreateQrCodeBody, 'style'>;

const FORMER_CODES_MAX = 100;

const valueOr = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value);

function timeOr(value: string | null | undefined, otherwise: Date | null): Date | null {
  if (value === undefined) return otherwise;
  return value === null ? null : new Date(value);
}

/** Returns the link with the fields of the input; other fields stay unchanged. */
export function applyInput(stored: Link, input: LinkInput, { domain, templateValues }: References): Link {
  const before = completed(stored);
  const changedAt = changeTimeAfter(before);
  const status = valueOr(input.status, before.status);
  const utmBefore = input.utm_defaults === null ? NO_UTM : before.utmDefaults;
  return withDerivedFields({
    ...before,
    domainId: domain === undefined ? before.domainId : (domain?._id ?? null),
    hostname: domain === undefined ? before.hostname : (domain?.hostname ?? null),
    shortCode: valueOr(input.short_code, before.shortCode),
    title: valueOr(input.title, before.title),
    destinationUrl: valueOr(input.destination_url, before.destinationUrl),
    campaignTag: valueOr(input.campaign_tag, before.campaignTag),
    utmDefaults: { ...utmBefore, ...templateValues, ...input.utm_defaults },
    queryPolicy: valueOr(input.query_policy, before.queryPolicy),
    startsAt: timeOr(input.starts_at, before.startsAt),
    expiresAt: timeOr(input.expires_at, before.expiresAt),
    expiredUrl: valueOr(input.expired_url, before.expiredUrl),
    maxScans: valueOr(input.max_scans, before.maxScans),
    redirectStatus: valueOr(input.redirect_status, before.redirectStatus),
    forwardPath: valueOr(input.forward_path, before.forwardPath),
    folderId: valueOr(input.folder_id, before.folderId),
    tagIds: input.tag_ids === undefined ? before.tagIds : [...new Set(input.tag_ids)],
    style: before.style && { ...(input.style === null ? DEFAULT_QR_STYLE : before.style), ...input.style },
    status,
    archivedAt: status === before.status ? before.archivedAt : status === 'archived' ? changedAt : null,
    updatedAt: changedAt,
    revision: before.revision + 1,
  });
}

/** Keeps the previous code as a former one: a visitor may have scanned it. */
export function keepFormerCode(before: Link, after: Link): Link {
  if (isSameAddress(before, after)) return after;
  const others = before.formerCodes.filter((address) => !isSameAddress(address, after));
  return withDerivedFields({
    ...after,
    formerCodes: [...others, { hostname: before.hostname, shortCode: before.shortCode }],
  });
}

/** Checks the rules that concern more than one field. @throws AppError `validation_failed` */
export function checkFieldRules(before: Link | null, after: Link): void {
  const problems = fieldRuleProblems(before, after);
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Returns the problem of the first rule that is broken, if one is. */
export function fieldRuleProblems(before: Link | null, after: Link): FieldProblems {
  if (before && before.shortCode !== after.shortCode && before.scansCount > 0) {
    return { short_code: [unchangeable('The short_code cannot be changed after the first scan.')] };
  }
  if (after.formerCodes.length > FORMER_CODES_MAX) {
    const field = after.shortCode === before?.shortCode ? 'domain_id' : 'short_code';
    return { [field]: [tooMany('link', FORMER_CODES_MAX, 'former addresses: it cannot be moved again')] };
  }
  const { startsAt, expiresAt } = completed(after);
  if (startsAt && expiresAt && expiresAt <= startsAt) {
    return { expires_at: [rangeInvalid('expires_at', 'be later than the starts_at')] };
  }
  const style = after.style ? qrStyleProblems(after.style) : {};
  return style.foreground ? { 'style.foreground': style.foreground } : {};
}
