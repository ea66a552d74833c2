import fc from 'fast-check';
import { parseBlockList } from '@waymark/resource/destinations/block-list';

async function parse(text: string) {
  const broken: number[] = [];
  const list = await parseBlockList(text, (line) => broken.push(line));
  return { broken, list, blocks: (url: string) => list.includes(new URL(url)) };
}

const LIST = `# Hosts
evil.example
  BÜCHER.example.   # with its subdomains
203.0.113.9
[2001:db8::1]

https://mixed.example/bad/
http://mixed.example:8080
`;

test.each([
  ['https://evil.example/'],
  ['http://evil.example.:8443/x'],
  ['https://a.b.evil.example/?x'],
  ['https://www.bücher.example/'],
  ['http://203.0.113.9:81/'],
  ['http://[2001:db8::1]/'],
  ['https://mixed.example/bad/page?x=1'],
  ['http://mixed.example/bad/'],
  ['https://mixed.example/%62%61d/x'],
  ['http://mixed.example:8080/any'],
])('blocks %s', async (url) => {
  expect((await parse(LIST)).blocks(url)).toBe(true);
});

test.each([
  ['https://notevil.example/'],
  ['https://evil.example.org/'],
  ['https://example/'],
  ['http://113.9/'],
  ['https://mixed.example/'],
  ['https://mixed.example/badly'],
  ['https://mixed.example/BAD/'],
  ['https://mixed.example:8443/bad/'],
  ['https://www.mixed.example/bad/'],
  ['https://mixed.example/x?https://evil.example/'],
])('does not block %s', async (url) => {
  expect((await parse(LIST)).blocks(url)).toBe(false);
});

test('leaves out broken lines, and names their numbers', async () => {
  const { broken, list } = await parse(
    'good.example\nnot a host\n\nevil.example/path\nhttps://\n*.x\nuser@host.example\n',
  );
  expect(broken).toEqual([2, 4, 5, 7]);
  expect(list.size).toBe(2);
});

test('blocks every address below a listed host, and none of another', () =>
  fc.assert(
    fc.asyncProperty(fc.domain(), fc.domain(), fc.webPath(), async (host, other, path) => {
      fc.pre(`.${other}`.endsWith(`.${host}`) === false);
      const { blocks } = await parse(host);
      expect([blocks(`https://${host}${path}`), blocks(`http://sub.${host}:81${path}`)]).toEqual([true, true]);
      expect(blocks(`https://${other}${path}`)).toBe(false);
    }),
  ));
