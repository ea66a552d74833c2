import { renderAsync } from '@resvg/resvg-js';
import { readImageHeader } from '@waymark/contract/image-header';
import { imageInvalid, type FieldProblems } from '@waymark/contract/problems';
import { LOGO_KB_MAX, readLogo } from '@waymark/contract/qr-style';
import type { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { LogoPort } from '../links/ports.js';
import { RENDERING } from './draw-png.js';

/** Larger than a logo in the largest image with the usual error correction and margin. */
const SIDE_MAX = 512;
/** Photographs need many bytes as PNG: they are scaled further down until they fit. The last size always fits. */
const SMALLER_SIDES = [384, 256, 192, 128, 96];

/** @param drawings bounds the drawings with a logo */
export function createLogos(drawings: KeyedLimit): LogoPort {
  return {
    checkLogo: (workspace, logoUrl) => checkLogo(drawings, workspace, logoUrl),
    fitLogo: (workspace, logoUrl) => fitLogo(drawings, workspace, logoUrl),
  };
}

/** Rejects a logo that cannot be decoded or shows nothing, so that the user notices before printing. */
async function checkLogo(
  drawings: KeyedLimit,
  workspace: string,
  logoUrl: string | null | undefined,
): Promise<FieldProblems> {
  if (logoUrl == null || (await drawings.run(workspace, () => showsSomething(logoUrl)))) return {};
  return {
    'style.logo_url': [
      imageInvalid('logo_url', 'be a picture that can be drawn: this one is broken, or shows nothing'),
    ],
  };
}

/**
 * Scales a logo down once, to the largest size at which it is drawn, as a PNG, so that the cost of a drawing does not
 * depend on the uploaded file. Smaller logos stay unchanged.
 */
async function fitLogo(drawings: KeyedLimit, workspace: string, logoUrl: string): Promise<string> {
  const { width, height } = readLogo(logoUrl)!;
  if (Math.max(width, height) <= SIDE_MAX) return logoUrl;
  return drawings.run(workspace, () => scaleDown(logoUrl));
}

async function scaleDown(logoUrl: string): Promise<string> {
  let source = logoUrl;
  for (const side of [SIDE_MAX, ...SMALLER_SIDES]) {
    const png = (await render(source, side)).asPng();
    source = `data:image/png;base64,${png.toString('base64')}`;
    if (png.length <= LOGO_KB_MAX * 1024) break;
  }
  return source;
}

async function showsSomething(logoUrl: string): Promise<boolean> {
  try {
    const { pixels } = await render(logoUrl, SIDE_MAX);
    return !pixels.equals(Buffer.alloc(pixels.length));
  } catch {
    return false;
  }
}

/** Renders with the same renderer as the images, outside the event loop. */
function render(logoUrl: string, sideMax: number) {
  const { width, height } = sizeOf(logoUrl);
  const scale = Math.min(1, sideMax / Math.max(width, height));
  const scaled = (side: number) => Math.max(1, Math.round(side * scale));
  const size = `width="${scaled(width)}" height="${scaled(height)}"`;
  return renderAsync(
    `<svg xmlns="http://www.w3.org/2000/svg" ${size}><image ${size} preserveAspectRatio="none" href="${logoUrl}"/></svg>`,
    RENDERING,
  );
}

/** Also reads intermediate pictures, which may have more bytes than a logo. */
function sizeOf(logoUrl: string): { width: number; height: number } {
  const bytes = Buffer.from(logoUrl.slice(logoUrl.indexOf(',') + 1), 'base64');
  return readImageHeader(bytes)!;
}
