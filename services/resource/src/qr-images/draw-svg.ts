import type { QrStyle } from '@waymark/contract/qr-style';
import type { Layout } from './layout.js';
import type { QrMatrix } from './qr-matrix.js';

/** Free modules around the logo, so that it does not touch the code. */
const LOGO_PADDING = 0.5;

/** Needs no escaping, since all values are validated: colours are hexadecimal digits, the logo is base64. */
export function drawSvg(
  matrix: QrMatrix,
  style: QrStyle,
  { side, origin, scale, size }: Layout & { size: number },
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${side} ${side}">`,
    `<rect width="${side}" height="${side}" fill="${style.background}"/>`,
    `<g transform="translate(${origin} ${origin}) scale(${scale})">`,
    `<path fill="${style.foreground}" shape-rendering="crispEdges" d="${pathOf(matrix)}"/>`,
    logoOf(matrix, style),
    '</g></svg>\n',
  ].join('');
}

/** One rectangle for each run of dark modules in a row. */
function pathOf({ side, isDark }: QrMatrix): string {
  let path = '';
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const from = x;
      while (x < side && isDark(x, y)) x += 1;
      if (x > from) path += `M${from} ${y}h${x - from}v1h-${x - from}z`;
    }
  }
  return path;
}

function logoOf({ logo }: QrMatrix, style: QrStyle): string {
  if (!logo || style.logo_url === null) return '';
  const start = logo.from + LOGO_PADDING;
  const side = logo.side - 2 * LOGO_PADDING;
  return `<image x="${start}" y="${start}" width="${side}" height="${side}" href="${style.logo_url}"/>`;
}
