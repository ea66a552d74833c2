import { invalid } from '@waymark/shared/kernel/errors';

/** Where the modules lie on a square picture, in its own units. */
export interface Layout {
  side: number;
  /** Left and above the first module. */
  origin: number;
  /** Of one module. */
  scale: number;
}

/** One unit a module: a drawing can be of any size. */
export function layoutOfModules(modules: number, margin: number): Layout {
  return { side: modules + 2 * margin, origin: margin, scale: 1 };
}

/** A whole number of pixels a module, so that all are alike; what is left over widens the quiet zone. */
export function layoutOfPixels(modules: number, margin: number, size: number): Layout {
  const least = modules + 2 * margin;
  const scale = Math.floor(size / least);
  if (scale < 1) throw invalid({ size: [`The size must be at least ${least} for this QR code, or the format svg.`] });
  return { side: size, origin: Math.floor((size - scale * modules) / 2), scale };
}
