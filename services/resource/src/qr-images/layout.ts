import { imageTooSmall } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';

/** The position of the modules on a square picture, in its own units. */
export interface Layout {
  side: number;
  /** The space left of and above the first module. */
  origin: number;
  /** The side of one module. */
  scale: number;
}

/** Uses one unit per module: an SVG can have any size. */
export function layoutOfModules(modules: number, margin: number): Layout {
  return { side: modules + 2 * margin, origin: margin, scale: 1 };
}

/** Uses a whole number of pixels per module, so that all are equal; remaining pixels widen the quiet zone. */
export function layoutOfPixels(modules: number, margin: number, size: number): Layout {
  const least = modules + 2 * margin;
  const scale = Math.floor(size / least);
  if (scale < 1) throw invalid({ size: [imageTooSmall(least)] });
  return { side: size, origin: Math.floor((size - scale * modules) / 2), scale };
}
