import type { Locator } from 'playwright-core';

/** Where a select has its arrow, from its end, in pixels. */
const ARROW = { from: 28, to: 4 };
const BORDER = 3;

/** The highest contrast of what is drawn at the end of a select with its ground, the colour that most of it has. */
export async function contrastOfArrow(select: Locator): Promise<number> {
  const png = (await select.screenshot()).toString('base64');
  const area = JSON.stringify({ ...ARROW, border: BORDER });
  return select.page().evaluate<number>(`(${measureContrast})('${png}', ${area})`);
}

/** Runs in the browser, which can read its own pictures. */
const measureContrast = `async (png, { from, to, border }) => {
  const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (char) => char.charCodeAt(0))]));
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(image.width - from, border, from - to, image.height - 2 * border);
  const linear = (value) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const counts = new Map();
  for (let index = 0; index < data.length; index += 4) {
    const luminance = 0.2126 * linear(data[index]) + 0.7152 * linear(data[index + 1]) + 0.0722 * linear(data[index + 2]);
    counts.set(luminance, (counts.get(luminance) ?? 0) + 1);
  }
  const [[ground]] = [...counts].sort(([, a], [, b]) => b - a);
  const contrasts = [...counts.keys()].map((each) => (Math.max(each, ground) + 0.05) / (Math.min(each, ground) + 0.05));
  return Math.max(...contrasts);
}`;
