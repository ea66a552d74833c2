import type { oas32 } from 'zod-openapi';

interface Header {
  /** Says also when it is absent. */
  description: string;
  example: string;
}

const HEADERS = {
  'X-Request-Id': {
    description:
      'Identifies the request in logs and in the audit log: the `X-Request-Id` of the request if it has 1 to 128 letters, ' +
      'digits, `.`, `_`, `:` or `-`, otherwise a new id.',
    example: '5f0c9a52-5d5c-4c5e-9a43-2f8a1f0b7c11',
  },
  Deprecation: {
    description: 'Since when the unversioned route is deprecated: `@` and the seconds since 1970 (RFC 9745).',
    example: '@1767225600',
  },
  Sunset: {
    description: 'Date from which the unversioned route may be gone (RFC 8594); absent until it is decided.',
    example: 'Fri, 01 Jan 2027 00:00:00 GMT',
  },
  Link: {
    description: 'Path of the versioned route that succeeds this one; absent when it has more than 2,000 characters.',
    example: '</api/v1/workspaces/acme/links>; rel="successor-version"',
  },
  Location: {
    description: 'Absolute URL at which the new item can be fetched. On a 302, where the browser goes on.',
    example: 'https://api.example.com/api/v1/workspaces/acme/links/lnk_01KG9R2J5C7D8E9F0G1H2J3K4M',
  },
  ETag: {
    description: 'Version of the item in quotes, for `If-Match` and `If-None-Match`.',
    example: '"k1Xb8Jw0aPz3Qm7d.Rt5uV9cYe2HnL4sF"',
  },
  'Set-Cookie': {
    description:
      'Sets the cookie of the session, or removes it on signing out. `GET /session/oidc` sets one for the sign-in alone.',
    example: '__Host-waymark_session=…; Path=/; HttpOnly; Secure; SameSite=Lax',
  },
  'X-CSRF-Token': {
    description: 'Every change that the session makes must send it as `X-CSRF-Token`. Absent for a token.',
    example: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  },
  'Content-Disposition': {
    description: 'Name under which to save the file.',
    example: 'attachment; filename="links-acme.csv"',
  },
  'Preference-Applied': {
    description: 'Preference of `Prefer` that was applied (RFC 7240); absent when the request had none.',
    example: 'handling=lenient',
  },
  'Idempotency-Replayed': {
    description: '`true` when the answer is that of an earlier request with the same key; absent otherwise.',
    example: 'true',
  },
  'RateLimit-Policy': {
    description:
      'Limit of the requests of a user in a workspace, or outside of workspaces: `q` in any `w` seconds. Absent when the ' +
      'request was refused before it was counted.',
    example: '"workspace";q=120;w=60',
  },
  RateLimit: {
    description: 'Requests that are left (`r`), and the seconds until the next one is free again (`t`).',
    example: '"workspace";r=119;t=60',
  },
  'X-RateLimit-Limit': { description: 'Requests in any minute, as `q` of `RateLimit-Policy`.', example: '120' },
  'X-RateLimit-Remaining': { description: 'Requests that are left, as `r` of `RateLimit`.', example: '119' },
  'X-Rows-Kept-From': {
    description: 'First day (UTC) whose scans the plan still keeps; absent while all are kept.',
    example: '2026-01-01',
  },
  'Retry-After': {
    description: 'Whole seconds to wait before the request is repeated. On a 409, absent where waiting does not help.',
    example: '10',
  },
} as const satisfies Record<string, Header>;
export type HeaderName = keyof typeof HEADERS;

export const HEADER_COMPONENTS: Record<string, oas32.HeaderObject> = Object.fromEntries(
  Object.entries(HEADERS).map(([name, header]) => [name, { ...header, schema: { type: 'string' } }]),
);
