import { DEFAULT_QR_STYLE, qrStyle, qrStyleInput, qrStyleProblems } from '@waymark/contract/qr-style';

/** The start of a PNG of this size, the only part that is read. */
function png(width: number, height: number, bytes = 100): Buffer {
  const image = Buffer.alloc(bytes);
  image.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  image.writeUInt32BE(width, 16);
  image.writeUInt32BE(height, 20);
  return image;
}

/** A JPEG whose frame starts after a JFIF segment and a Huffman table, with fill bytes between. */
function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xff, 0xc2, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3]);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc4, 0, 3, 9]), frame]);
}

const dataUrl = (image: Buffer, type = 'image/png') => `data:${type};base64,${image.toString('base64')}`;
const accepts = (logo_url: unknown) => qrStyleInput.safeParse({ logo_url }).success;

test('colours are kept in one spelling', () => {
  const style = qrStyle.parse({ ...DEFAULT_QR_STYLE, foreground: 'A1B2C3', background: '#FFFFFF' });
  expect(style).toMatchObject({ foreground: '#a1b2c3', background: '#ffffff' });
});

test.each([
  ['foreground', 'red'],
  ['foreground', '#12345'],
  ['foreground', '#000000"/><script>'],
  ['background', 'url(http://x)'],
  ['background', 7],
  ['error_correction', 'X'],
  ['margin', -1],
  ['margin', 17],
  ['margin', 1.5],
  ['margin', '4'],
  ['logo_url', 'https://example.com/logo.png'],
])('%s %p is refused, and named', (field, value) => {
  const { error } = qrStyleInput.safeParse({ [field]: value });
  expect(error?.issues.map(({ path }) => path[0])).toEqual([field]);
});

test.each([
  ['black on white', '#000000', '#ffffff', true],
  ['blue on pale yellow', '#1a3c8c', '#fff8dc', true],
  ['grey of just enough contrast', '#949494', '#ffffff', true],
  ['grey of too little', '#959595', '#ffffff', false],
  ['red on white', '#ff0000', '#ffffff', true],
  ['dark grey on pink, which are one grey', '#352d3b', '#e102cf', false],
  ['pink on yellow, which are one brightness', '#f53cf3', '#fad579', false],
  ['light on dark', '#ffffff', '#000000', false],
  ['a colour on itself', '#777777', '#777777', false],
])('%s: may be used: %p', (_what, foreground, background, isFine) => {
  expect(Object.keys(qrStyleProblems({ foreground, background }))).toEqual(isFine ? [] : ['foreground']);
});

describe('a logo', () => {
  test.each([
    ['a PNG', dataUrl(png(64, 64))],
    ['a JPEG', dataUrl(jpeg(640, 480), 'image/jpeg')],
    ['the largest file', dataUrl(png(2048, 2048, 64 * 1024))],
    ['none', null],
  ])('%s is taken', (_what, logo) => expect(accepts(logo)).toBe(true));

  test.each([
    ['a larger file', dataUrl(png(64, 64, 64 * 1024 + 1))],
    ['a small file of a huge picture', dataUrl(png(65_000, 65_000))],
    ['a huge JPEG', dataUrl(jpeg(10_000, 10), 'image/jpeg')],
    ['a picture without a side', dataUrl(png(0, 10))],
    ['a PNG that is called JPEG', dataUrl(png(64, 64), 'image/jpeg')],
    ['HTML that is called PNG', dataUrl(Buffer.from('<html><script>'.repeat(9)))],
    ['an SVG', dataUrl(Buffer.from('<svg/>'), 'image/svg+xml')],
    ['a JPEG without a frame', dataUrl(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff]), 'image/jpeg')],
    ['text behind the base64', `${dataUrl(png(64, 64))}"/>`],
    ['an empty text', ''],
    ['a number', 7],
  ])('%s is refused', (_what, logo) => expect(accepts(logo)).toBe(false));
});
