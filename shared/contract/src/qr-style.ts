import { z } from 'zod';
import { countScans, readImageHeader, type ImageHeader } from './image-header.js';
import { asIssue, contrastTooLow, imageInvalid, type Problem } from './problems.js';

export const errorCorrection = z
  .enum(['L', 'M', 'Q', 'H'], { error: 'The error_correction must be L, M, Q or H.' })
  .describe('Share of the code that may be unreadable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %; `H` with a logo.');
export type ErrorCorrection = z.infer<typeof errorCorrection>;

export const QR_MARGIN_MAX = 16;
export const MARGIN_MEANING = `Width of the quiet zone on each side, in modules: 0 to ${QR_MARGIN_MAX}.`;
/** A page of a list holds a hundred of them. */
export const LOGO_KB_MAX = 64;
/** A small file may hold a huge picture: limits the picture, not only the file. */
const LOGO_PIXELS_MAX = 2048;
/** Each scan costs time for every pixel, however few bytes it has. Encoders of progressive JPEGs write about ten. */
const LOGO_SCANS_MAX = 64;

/** Six hexadecimal digits, with or without the `#`, which a query would have to escape; kept with it, in lower case. */
const qrColour = (name: string) =>
  z
    .string({ error: `The ${name} must be text.` })
    .regex(/^#?[0-9a-fA-F]{6}$/, `The ${name} must be a colour like #1a2b3c.`)
    .overwrite(sameSpelling);

const sameSpelling = (colour: string): string => `#${colour.replace('#', '').toLowerCase()}`;

/** The colours of a code. */
export const qrColours = {
  foreground: qrColour('foreground').describe(
    'Colour of the dark modules, `#rrggbb`, also taken without `#`; its contrast with the background is at least 3:1.',
  ),
  background: qrColour('background').describe(
    'Colour of the light modules and the margin, `#rrggbb`, also taken without `#`.',
  ),
};

const logoUrl = z
  .string({ error: 'The logo_url must be text.' })
  .refine(
    (value) => readLogo(value) !== null,
    asIssue(
      imageInvalid(
        'logo_url',
        `be a data URL of a PNG or JPEG of at most ${LOGO_KB_MAX} kB and ${LOGO_PIXELS_MAX} pixels a side, and of at most ${LOGO_SCANS_MAX} scans`,
      ),
    ),
  );

export const qrStyle = z
  .object(
    {
      ...qrColours,
      error_correction: errorCorrection,
      margin: z
        .int({ error: 'The margin must be a whole number.' })
        .min(0, 'The margin must be at least 0.')
        .max(QR_MARGIN_MAX, `The margin must be at most ${QR_MARGIN_MAX}.`)
        .describe(MARGIN_MEANING),
      logo_url: logoUrl
        .nullable()
        .describe(
          `Picture in the middle: data URL of a PNG or JPEG of at most ${LOGO_KB_MAX} kB and ${LOGO_PIXELS_MAX} pixels a side, ` +
            'scaled down to 512; `null` for none.',
        ),
    },
    { error: 'The style must be an object.' },
  )
  .describe('How a QR code looks.');
export type QrStyle = z.infer<typeof qrStyle>;

/** The style in events and in the audit log: the hash of the logo stands for the picture, `sha256:…`. */
export const redactedQrStyle = qrStyle
  .extend({ logo_url: z.string().nullable().describe('`sha256:` and the hash of its data URL; `null` for none.') })
  .describe('How the code is drawn.');

/** The style as clients send it: an absent field stays unchanged. `qrStyleProblems` checks the colours together. */
export const qrStyleInput = qrStyle.partial().describe('How a QR code is to look; absent fields stay unchanged.');

export const DEFAULT_QR_STYLE: QrStyle = {
  foreground: '#000000',
  background: '#ffffff',
  error_correction: 'M',
  margin: 4,
  logo_url: null,
};

/** WCAG 2.2, 1.4.11: the minimum contrast of graphics. */
const CONTRAST_MIN = 3;

/**
 * Returns the problems of a whole style, by field. Not every scanner reads a code that is light on dark, and most see
 * grey: the foreground must be the darker one by that contrast, in colour and in grey.
 */
export function qrStyleProblems(style: Pick<QrStyle, 'foreground' | 'background'>): { foreground?: Problem[] } {
  const [dark, light] = [channelsOf(style.foreground), channelsOf(style.background)];
  const contrasts = [luminance, luminanceOfGrey].map((of) => (of(light) + 0.05) / (of(dark) + 0.05));
  if (contrasts.every((contrast) => contrast >= CONTRAST_MIN)) return {};
  return {
    foreground: [contrastTooLow(CONTRAST_MIN)],
  };
}

/** Red, green and blue, 0 to 1. */
type Channels = [number, number, number];

function channelsOf(colour: string): Channels {
  return [...Buffer.from(sameSpelling(colour).slice(1), 'hex')].map((value) => value / 255) as Channels;
}

const weighed = ([red, green, blue]: Channels): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

/** Relative luminance, as WCAG defines it. */
const luminance = (channels: Channels): number => weighed(channels.map(linear) as Channels);

/** The relative luminance of the grey that a camera makes of the colour (luma of ITU-R BT.709). */
const luminanceOfGrey = (channels: Channels): number => linear(weighed(channels));

const DATA_URL = /^data:(image\/png|image\/jpeg);base64,([A-Za-z0-9+/]+={0,2})$/;

/** The length in base64, with the prefix of the data URL. */
const LOGO_LENGTH_MAX = Math.ceil((LOGO_KB_MAX * 1024) / 3) * 4 + 'data:image/jpeg;base64,'.length;

/** The header of a logo that may be used; `null` for anything else. */
export function readLogo(dataUrl: string): ImageHeader | null {
  if (dataUrl.length > LOGO_LENGTH_MAX) return null;
  const [, type, base64 = ''] = DATA_URL.exec(dataUrl) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > LOGO_KB_MAX * 1024) return null;
  const header = readImageHeader(bytes);
  if (!header || header.type !== type) return null;
  if (type === 'image/jpeg' && countScans(bytes) > LOGO_SCANS_MAX) return null;
  const sides = [header.width, header.height];
  return sides.every((side) => side >= 1 && side <= LOGO_PIXELS_MAX) ? header : null;
}

/** A logo covers a part of the code, so the highest error correction applies, whichever level the client chose. */
export const drawnStyle = (style: QrStyle): QrStyle =>
  style.logo_url === null ? style : { ...style, error_correction: 'H' };
