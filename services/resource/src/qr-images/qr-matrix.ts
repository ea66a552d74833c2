import { correction, generate } from 'lean-qr';
import type { ErrorCorrection } from '@waymark/contract/qr-style';

/** A square of free modules in the middle of the code. */
export interface FreeSquare {
  from: number;
  side: number;
}

export interface QrMatrix {
  /** Modules per side, without the quiet zone. */
  side: number;
  isDark: (x: number, y: number) => boolean;
  /** Where a logo may be drawn. */
  logo: FreeSquare | null;
}

/** Share of the code's side: under a tenth of its area, while level H can restore more than a quarter. */
const LOGO_SHARE_MAX = 0.3;

/** Encodes the text as a QR code (ISO/IEC 18004). With a logo its level is always H. */
export function encodeQr(text: string, level: ErrorCorrection, hasLogo: boolean): QrMatrix {
  const exactly = correction[hasLogo ? 'H' : level];
  const code = generate(text, { minCorrectionLevel: exactly, maxCorrectionLevel: exactly });
  const logo = hasLogo ? middleOf(code.size) : null;
  return { side: code.size, logo, isDark: (x, y) => !isWithin(logo, x, y) && code.get(x, y) };
}

/** The number of modules is odd, so the number of free ones in the middle must be odd too. */
function middleOf(modules: number): FreeSquare {
  const most = Math.floor(modules * LOGO_SHARE_MAX);
  const side = most % 2 === 1 ? most : most - 1;
  return { from: (modules - side) / 2, side };
}

function isWithin(square: FreeSquare | null, x: number, y: number): boolean {
  if (!square) return false;
  const { from, side } = square;
  return x >= from && x < from + side && y >= from && y < from + side;
}
