import fc from 'fast-check';
import { DEFAULT_QR_STYLE, qrStyle, qrStyleProblems, type QrStyle } from '@waymark/contract/qr-style';
import { drawQrImage, type QrImage } from '@waymark/resource/qr-images/draw-qr-image';
import { encodeQr } from '@waymark/resource/qr-images/qr-matrix';
import { measureCpu, runWithShortTurns } from '@waymark/testing/event-loop';
import { JPEG_LOGO, pngLogo } from './logos.js';
import { pixelAt, rasterise, readQr, readQrFromAnywhere, widthOfPng } from './qr-reader.js';

const TEXT = 'https://go.acme.com/q/k7Qm2xa';
const LOGOS = [null, pngLogo(128), pngLogo(300, 60), JPEG_LOGO];
const run = <T>(draw: () => Promise<T>) => draw();

const draw = (image: Partial<Omit<QrImage, 'style'>> & { style?: Partial<QrStyle> }) =>
  drawQrImage({ text: TEXT, format: 'png', size: 512, ...image, style: { ...DEFAULT_QR_STYLE, ...image.style } }, run);

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const colours = fc.tuple(colour, colour).map(([a, b]) => {
  const pair = { foreground: a, background: b };
  // Most pairs of random colours have too little contrast: swap them, or replace a colour if that is not enough.
  const pairs = [pair, { foreground: b, background: a }, { foreground: '#000000', background: b }];
  return (
    pairs.find((one) => Object.keys(qrStyleProblems(one)).length === 0) ?? { foreground: a, background: '#ffffff' }
  );
});
const style = fc
  .record({
    colours: colours.filter((pair) => Object.keys(qrStyleProblems(pair)).length === 0),
    error_correction: fc.constantFrom('L', 'M', 'Q', 'H' as const),
    margin: fc.integer({ min: 0, max: 16 }),
    logo_url: fc.constantFrom(...LOGOS),
  })
  .map(({ colours: pair, ...rest }) => qrStyle.parse({ ...pair, ...rest }));
const text = fc
  .tuple(fc.stringMatching(/^[a-z0-9]{1,60}(\.[a-z0-9]{1,60}){0,3}\.com$/), fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/))
  .map(([host, code]) => `https://${host}/q/${code}`);

test('every image is read as its text, in any style, size and format', async () => {
  const size = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 64, max: 400 }) },
    fc.integer({ min: 400, max: 1000 }),
  );
  const image = fc.record({ text, style, size, format: fc.constantFrom('svg' as const, 'png' as const) });
  const check = fc.asyncProperty(image, async (one) => {
    const least = modulesOf(one) + 2 * one.style.margin;
    if (one.format === 'png' && one.size < least)
      return expect(draw(one)).rejects.toMatchObject({ details: { size: [expect.stringContaining(String(least))] } });
    expect(readQrFromAnywhere(await draw(one), one.size)).toBe(one.text);
  });
  // Readers are slow: the search for a smaller counterexample would outlast the test, which then names none.
  await fc.assert(check, { numRuns: 60, endOnFailure: true });
});

const modulesOf = (one: { text: string; style: QrStyle }): number =>
  encodeQr(one.text, one.style.error_correction, one.style.logo_url !== null).side;

describe.each(['svg', 'png'] as const)('%s', (format) => {
  test.each(['L', 'M', 'Q', 'H'] as const)(
    'level %s has the modules of exactly that level, and is read',
    async (level) => {
      const drawn = await draw({ format, style: { error_correction: level } });
      expect(readQr(rasterise(drawn, 512))).toBe(TEXT);
      // ISO/IEC 18004, table 7: the sizes for 29 bytes.
      expect(encodeQr(TEXT, level, false).side).toBe({ L: 25, M: 29, Q: 29, H: 33 }[level]);
    },
  );

  test.each([64, 65, 100, 511, 1000, 2048])('%i pixels are that many, and are read', async (size) => {
    const drawn = await draw({ format, size });
    expect(typeof drawn === 'string' ? Number(/width="(\d+)"/.exec(drawn)![1]) : widthOfPng(drawn)).toBe(size);
    expect(readQrFromAnywhere(drawn, size)).toBe(TEXT);
  });

  test.each([
    ['PNG', pngLogo(128)],
    ['wide PNG', pngLogo(2048, 100)],
    ['JPEG', JPEG_LOGO],
  ])('a %s logo is seen in the middle, and what is around it is read', async (_what, logo_url) => {
    const drawn = await draw({ format, size: 330, style: { error_correction: 'L', logo_url } });
    const pixels = rasterise(drawn, 330);
    expect(readQr(pixels)).toBe(TEXT);
    expect(['#000000', '#ffffff']).not.toContain(pixelAt(pixels, 165, 165));
  });
});

test('a logo takes level H and less than a tenth of the area, however long the text', () => {
  for (const length of [10, 50, 100, 200, 330]) {
    const matrix = encodeQr('x'.repeat(length), 'L', true);
    expect(matrix.side).toBe(encodeQr('x'.repeat(length), 'H', false).side);
    expect((matrix.logo!.side / matrix.side) ** 2).toBeLessThan(0.1);
    expect(matrix.logo!.from * 2 + matrix.logo!.side).toBe(matrix.side);
  }
});

test('a code with a logo is still read with dirt on it', async () => {
  const svg = String(await draw({ format: 'svg', style: { logo_url: pngLogo(128) } }));
  const dirt = '<path stroke="#555" stroke-width="1" d="M14 6v9M30 33h6"/>';
  expect(readQr(rasterise(svg.replace('</g></svg>', `${dirt}</g></svg>`), 512))).toBe(TEXT);
});

test('a file that only starts like a PNG leaves its place empty, and the code is read', async () => {
  const broken = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01', 'latin1').toString('base64')}`;
  const style = qrStyle.parse({ ...DEFAULT_QR_STYLE, logo_url: broken });
  for (const format of ['svg', 'png'] as const)
    expect(readQr(rasterise(await draw({ format, style }), 512))).toBe(TEXT);
});

test('the largest picture leaves the event loop free for others while it is drawn', async () => {
  const style = { logo_url: pngLogo(512) };
  const drawLargest = () => draw({ size: 2048, style });
  const png = await drawLargest();
  const renderingMs = measureCpu(() => void rasterise(png, 2048));
  await runWithShortTurns(drawLargest, { runs: 3, limitMs: () => renderingMs });
});
