import { z } from 'zod';
import { readImageHeader, type ImageHeader } from './image-header.js';

export const errorCorrection = z.enum(['L', 'M', 'Q', 'H'], { error: 'The error_correction must be L, M, Q or H.' });
export type ErrorCorrection = z.infer<typeof errorCorrection>;

export const QR_MARGIN_MAX = 16;
const LOGO_BYTES_MAX = 256 * 1024;
/** A small file may hold a huge picture: a bound on what is drawn, not only on what is sent. */
const LOGO_PIXELS_MAX = 2048;

/** Six hexadecimal digits, with or without the `#`, which a query would have to escape; kept with it, in lower case. */
export const qrColour = (name: string) =>
  z
    .string({ error: `The ${name} must be text.` })
    .regex(/^#?[0-9a-fA-F]{6}$/, `The ${name} must be a colour like #1a2b3c.`)
    .overwrite((value) => `#${value.replace('#', '').toLowerCase()}`);

const logoUrl = z
  .string({ error: 'The logo_url must be text.' })
  .refine(
    (value) => readLogo(value) !== null,
    `The logo_url must be a data URL of a PNG or JPEG of at most 256 kB and ${LOGO_PIXELS_MAX} pixels a side.`,
  );

/** How a QR code looks. */
export const qrStyle = z.object({
  foreground: qrColour('foreground'),
  background: qrColour('background'),
  error_correction: errorCorrection,
  /** The quiet zone, in modules. */
  margin: z
    .int({ error: 'The margin must be a whole number.' })
    .min(0, 'The margin must be at least 0.')
    .max(QR_MARGIN_MAX, `The margin must be at most ${QR_MARGIN_MAX}.`),
  /** The picture itself, as a data URL: nothing is ever fetched. */
  logo_url: logoUrl.nullable(),
});
export type QrStyle = z.infer<typeof qrStyle>;

/** As it is sent: what is absent stays as it is. Two colours that don't fit each other: see `qrStyleProblems`. */
export const qrStyleInput = qrStyle.partial();

export const DEFAULT_QR_STYLE: QrStyle = {
  foreground: '#000000',
  background: '#ffffff',
  error_correction: 'M',
  margin: 4,
  logo_url: null,
};

/** WCAG 2.2, 1.4.11: what graphics need to be told apart, by cameras too. */
const CONTRAST_MIN = 3;

/** What a whole style may not be, by field: a code that is too pale or inverted is not read by every scanner. */
export function qrStyleProblems(style: Pick<QrStyle, 'foreground' | 'background'>): { foreground?: string[] } {
  const [dark, light] = [luminance(style.foreground), luminance(style.background)];
  if (dark < light && (light + 0.05) / (dark + 0.05) >= CONTRAST_MIN) return {};
  return {
    foreground: [`The foreground must be darker than the background, with a contrast of at least ${CONTRAST_MIN}:1.`],
  };
}

/** Relative luminance, as WCAG defines it. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => linear(parseInt(colour.slice(at, at + 2), 16) / 255)) as [
    number,
    number,
    number,
  ];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const linear = (channel: number): number => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);

const DATA_URL = /^data:(image\/png|image\/jpeg);base64,([A-Za-z0-9+/]+={0,2})$/;

/** The header of a logo that may be used; `null` for anything else. */
export function readLogo(dataUrl: string): ImageHeader | null {
  const [, type, base64 = ''] = DATA_URL.exec(dataUrl) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > LOGO_BYTES_MAX) return null;
  const header = readImageHeader(bytes);
  if (!header || header.type !== type) return null;
  const sides = [header.width, header.height];
  return sides.every((side) => side >= 1 && side <= LOGO_PIXELS_MAX) ? header : null;
}
