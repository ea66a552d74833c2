import { z } from 'zod';
import { wholeNumber } from './common.js';
import { DEFAULT_QR_STYLE, errorCorrection, MARGIN_MEANING, qrColours, QR_MARGIN_MAX } from './qr-style.js';
import { EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';

export const qrImageFormat = z.enum(['svg', 'png'], { error: 'The format must be svg or png.' });
export type QrImageFormat = z.infer<typeof qrImageFormat>;

export const QR_IMAGE_TYPES: Readonly<Record<QrImageFormat, string>> = { svg: 'image/svg+xml', png: 'image/png' };

const image = {
  format: qrImageFormat
    .default('svg')
    .describe('Type of the image: `svg`, the default, can have any size in print; `png` has pixels.'),
  size: wholeNumber('size', 64, 2048)
    .default(512)
    .describe('Pixels on each side: 64 to 2,048, in a `png` at least one for each module. An `svg` only declares it.'),
};

const style = {
  ...qrColours,
  error_correction: errorCorrection,
  margin: wholeNumber('margin', 0, QR_MARGIN_MAX).describe(MARGIN_MEANING),
};
const unlessGiven = ({ description }: z.ZodType, otherwise: string): string =>
  `${description} ${otherwise} unless given.`;
const orStored = <T extends z.ZodType>(schema: T) =>
  schema.optional().describe(unlessGiven(schema, 'That of the QR code'));

/** A QR code has a stored style; a request may try another one before it is stored. */
export const qrCodeImageQuery = z.object({
  ...image,
  foreground: orStored(style.foreground),
  background: orStored(style.background),
  error_correction: orStored(style.error_correction),
  margin: orStored(style.margin),
});

/** A link has no stored style: each request carries it, except for a logo. */
export const linkQrQuery = z.object({
  ...image,
  foreground: style.foreground.default(DEFAULT_QR_STYLE.foreground).describe(unlessGiven(style.foreground, 'Black')),
  background: style.background.default(DEFAULT_QR_STYLE.background).describe(unlessGiven(style.background, 'White')),
  error_correction: style.error_correction
    .default(DEFAULT_QR_STYLE.error_correction)
    .describe(unlessGiven(style.error_correction, '`M`')),
  margin: style.margin.default(DEFAULT_QR_STYLE.margin).describe(unlessGiven(style.margin, '4')),
});

const access = { kind: 'workspace', ability: 'read', roles: EVERY_ROLE } as const;
const response = { status: 200, contentTypes: Object.values(QR_IMAGE_TYPES) } as const;

export const qrImageRoutes = {
  'links.qr': {
    method: 'GET',
    path: '/workspaces/{workspace}/links/{id}/qr',
    deployments: ['links'],
    service: 'resource',
    access,
    query: linkQrQuery,
    response,
  },
  'qr_codes.image': {
    method: 'GET',
    path: '/workspaces/{workspace}/qr-codes/{id}/image',
    deployments: ['qr'],
    service: 'resource',
    access,
    query: qrCodeImageQuery,
    response,
  },
} as const satisfies Record<string, RouteDefinition>;
