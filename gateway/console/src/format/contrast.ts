type Channels = [number, number, number];

const channelsOf = (colour: string): Channels =>
  [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16) / 255) as Channels;

const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const luminance = (colour: string): number => {
  const [red, green, blue] = channelsOf(colour).map(linear) as Channels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** How much darker the foreground is (WCAG 2.2); below 1 for light on dark, which many scanners do not read. */
export const contrastOf = (foreground: string, background: string): number =>
  (luminance(background) + 0.05) / (luminance(foreground) + 0.05);

/** Returns the colour, darkened until it has the contrast; black at the latest. */
export function darkenTo(
  contrast: number,
  { foreground, background }: { foreground: string; background: string },
): string {
  for (let share = 0.98; share > 0; share -= 0.02) {
    const colour = `#${channelsOf(foreground)
      .map((value) =>
        Math.round(value * share * 255)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')}`;
    if (contrastOf(colour, background) >= contrast) return colour;
  }
  return '#000000';
}
