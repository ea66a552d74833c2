import { z } from 'zod';
import { bulkResults, changeQrCodes } from './bulk-changes.js';
import { csvQuery, cursorPage, item } from './common.js';
import { chosenFields, contentFields, contentQuery, contentShape, destinationUrl, paging } from './links.js';
import { qrStyle, qrStyleInput } from './qr-style.js';
import { CONTENT_EDITORS, EVERY_ROLE, OWNERS } from './roles.js';
import type { RouteDefinition } from './route.js';

const qrCodeFields = {
  ...contentFields,
  style: qrStyleInput
    .nullable()
    .describe(
      'How the code looks. Absent fields stay unchanged; `null` restores black on white, `M`, a margin of 4, no logo.',
    ),
};

export const createQrCode = z
  .object({
    destination_url: destinationUrl,
    ...z.object(qrCodeFields).partial().shape,
    ...chosenFields,
  })
  .describe('Fields of a new QR code.');
export const updateQrCode = z
  .object({ destination_url: destinationUrl, ...qrCodeFields })
  .partial()
  .describe('Changes of a QR code; absent fields stay unchanged.');
export type CreateQrCodeBody = z.infer<typeof createQrCode>;
export type UpdateQrCodeBody = z.infer<typeof updateQrCode>;

export const qrCode = z
  .object({ ...contentShape, style: qrStyle.describe('How the code is drawn.') })
  .describe('A QR code, which leads to its short URL.');
export type QrCodeBody = z.infer<typeof qrCode>;

const path = '/workspaces/{workspace}/qr-codes';
/** A logo of 64 kB in base64, each of its characters escaped, takes 512 kB. */
const bodyLimitBytes = 1024 * 1024;

export const qrCodeRoutes = {
  'qr_codes.list': {
    method: 'GET',
    path,
    deployments: ['qr'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
    query: z.object(contentQuery),
    response: { status: 200, schema: cursorPage(qrCode) },
  },
  'qr_codes.export': {
    method: 'GET',
    path: `${path}/export`,
    deployments: ['qr'],
    versions: ['v1'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
    query: z.object(contentQuery).omit(paging).extend(csvQuery),
    response: { status: 200, contentTypes: ['text/csv; charset=utf-8'] },
  },
  'qr_codes.create': {
    method: 'POST',
    path,
    deployments: ['qr'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS },
    body: createQrCode,
    bodyLimitBytes,
    idempotent: true,
    response: { status: 201, schema: item(qrCode) },
  },
  'qr_codes.show': {
    method: 'GET',
    path: `${path}/{id}`,
    deployments: ['qr'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
    response: { status: 200, schema: item(qrCode) },
  },
  'qr_codes.update': {
    method: 'PATCH',
    path: `${path}/{id}`,
    deployments: ['qr'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS },
    body: updateQrCode,
    bodyLimitBytes,
    response: { status: 200, schema: item(qrCode) },
  },
  'qr_codes.delete': {
    method: 'DELETE',
    path: `${path}/{id}`,
    deployments: ['qr'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'write', roles: OWNERS },
    response: { status: 204 },
  },
  'qr_codes.bulk': {
    method: 'POST',
    path: `${path}/bulk`,
    deployments: ['qr'],
    versions: ['v1'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS },
    body: changeQrCodes,
    idempotent: true,
    response: { status: 200, schema: bulkResults },
  },
} as const satisfies Record<string, RouteDefinition>;
