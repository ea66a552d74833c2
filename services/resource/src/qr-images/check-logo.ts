import { renderAsync } from '@resvg/resvg-js';
import { readLogo } from '@waymark/shared/contract/qr-style';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';
import type { Turnstile } from '@waymark/shared/kernel/turnstile';
import { RENDERING } from './draw-png.js';

/** A logo that cannot be decoded is drawn as nothing: better said when it is saved than seen in print. */
export async function checkLogo(logos: Turnstile, logoUrl: string | null | undefined): Promise<FieldProblems> {
  if (logoUrl == null || (await logos.pass(() => showsSomething(logoUrl)))) return {};
  return {
    'style.logo_url': ['The logo_url must be a picture that can be drawn: this one is broken, or shows nothing.'],
  };
}

/** Drawn by what draws it later, pixel by pixel. */
async function showsSomething(logoUrl: string): Promise<boolean> {
  const { width, height } = readLogo(logoUrl)!;
  const size = `width="${width}" height="${height}"`;
  try {
    const { pixels } = await renderAsync(
      `<svg xmlns="http://www.w3.org/2000/svg" ${size}><image ${size} href="${logoUrl}"/></svg>`,
      RENDERING,
    );
    return !pixels.equals(Buffer.alloc(pixels.length));
  } catch {
    return false;
  }
}
