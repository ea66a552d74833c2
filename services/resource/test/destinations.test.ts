import fc from 'fast-check';
import { destinationUrl } from '@waymark/contract/links';
import { shortHostTest } from '@waymark/contract/short-hosts';
import { isPrivateHost } from '@waymark/kernel/http/private-hosts';
import { checkDestinations } from '@waymark/resource/links/check-destination';

const ours = ['go.test', 's.test', '127.0.0.9'];
const leadsToShortHost = shortHostTest({
  SHORT_BASE_URL: 'https://go.test',
  SHORT_HOSTS: ['s.test:8443', '127.0.0.9:8090'],
});
const served = new Set(['links.acme.com']);
const domains = {
  findServedHosts: (names: string[]) => Promise.resolve(new Set(names.filter((name) => served.has(name)))),
} as never;

/** Checks a URL as the API does: against the schema, then against the short hosts. */
async function accepts(url: unknown): Promise<boolean> {
  const parsed = destinationUrl.safeParse(url);
  if (!parsed.success) return false;
  const [problems] = await checkDestinations({ leadsToShortHost, domains }, [{ destination_url: parsed.data }]);
  return Object.keys(problems!).length === 0;
}

test.each([
  ['http://example.com'],
  ['https://example.com/a?b=c#d'],
  ['HTTPS://EXAMPLE.COM/'],
  ['https://bücher.example/ä?ö=ü'],
  ['http://192.0.2.1/'],
  ['http://10.0.0.1:8080/intranet'],
  ['http://[2001:db8::1]/'],
  ['https://xn--bcher-kva.example/'],
  ['https://example.com:8443/'],
  ['  https://example.com/spaces-around  '],
  ['https://example.com/@me'],
  ['https://example.com/?next=https://go.test/x'],
  ['https://go.test.example.com/'],
  ['https://notgo.test/'],
  ['https://example.com./a\\b'],
  ['http://localhost:3000/'],
  ['http://127.0.0.1/'],
  ['http://[::1]:8091/x'],
  ['http://0.0.0.0:8091/'],
  ['http://app.localhost:3000/'],
  ['http://notlocalhost:8090/'],
  ['https://BÜCHER.example/'],
  ['https://bu\u0308cher.example/'],
  ['https://straße.example/'],
  ['https://نامه\u200cای.example/'],
  ['https://日本語.example/'],
  ['https://my_site.example.com/'],
  ['https://r3---sn-x.example.com/'],
  ['http://[2001:DB8::A]/'],
  ['https://example.com/❤️/%E2%80%AE'],
  [`https://example.com/${'x'.repeat(2028)}`],
  [`https://example.com/${'ü'.repeat(338)}`],
])('%s is a destination', async (url) => {
  expect(await accepts(url)).toBe(true);
});

test.each([
  ['javascript:alert(1)'],
  ['JavaScript:alert(1)'],
  [' javascript:alert(1)'],
  ['data:text/html,x'],
  ['vbscript:x'],
  ['file:///etc/passwd'],
  ['ftp://example.com'],
  ['mailto:a@example.com'],
  ['blob:https://example.com/x'],
  ['//example.com'],
  ['\\\\example.com'],
  ['/relative'],
  ['example.com'],
  ['https://'],
  ['https://xn--a.example/'],
  ['https:// /'],
  ['http://user@example.com'],
  ['http://user:secret@example.com'],
  ['http://:secret@example.com'],
  ['https://example.com/\r\nSet-Cookie: a=b'],
  ['https://exa\u0000mple.com/'],
  ['https://example.com/\u007f'],
  ['https://exam\tple.com/'],
  ['https://go.test'],
  ['http://GO.TEST:81/x'],
  ['https://go.test./x'],
  ['https://ｇｏ.test/'],
  ['https://go%2Etest/'],
  ['https://s.test/'],
  ['https://s.test:8443/'],
  ['http://127.0.0.9/'],
  ['http://2130706441/'],
  ['http://0x7f.9/'],
  ['http://127.9:1/'],
  ['https://links.acme.com/x'],
  ['https://LINKS.acme.com.:444/'],
  ['http://localhost:8090/x'],
  ['http://LOCALHOST.:8090/x'],
  ['http://127.0.0.1:8090/'],
  ['http://[::1]:8090/x'],
  ['http://[::ffff:127.0.0.1]:8090/'],
  ['https:example.org'],
  ['https:/example.org'],
  ['https:///x'],
  ['https:\\\\example.org\\x'],
  ['https://\\example.org'],
  ['https://example.org\\@evil.com'],
  ['https://example.org\\x'],
  ['https://@example.org/'],
  ['https://:@example.org/'],
  ['http://.'],
  ['http://.example.org'],
  ['http://a..b'],
  ['http://a%2e.b/'],
  ['http://0.0.0.0:8090/'],
  ['http://[::]:8090/'],
  ['http://[::ffff:0:0]:8090/'],
  ['http://app.localhost:8090/x'],
  ['https://go\u200bogle.com/'],
  ['https://exa\u00admple.com/'],
  ['https://ex%61mple.org/'],
  ['https://example。org/x'],
  ['https://example．org/x'],
  ['https://ｅxample.org/'],
  ['https://i❤️.example/'],
  ['https://example.org/\u202egnp'],
  ['https://example.org/a\u200bb'],
  ['https://example.org/\u2800'],
  ['http://*'],
  ['http://*.example.org/'],
  ['http://a!b.example/'],
  ['https://-/'],
  ['https://-a.example/'],
  ['https://a-.example/'],
  ['http://[2001:0db8::1]/'],
  ['http://0300.0250.0.1/'],
  ['http://192.168.1/'],
  [`https://example.com/${'x'.repeat(2029)}`],
  [`https://example.com/${'ü'.repeat(339)}`],
  [''],
  [7],
  [null],
  [undefined],
  [['https://example.com']],
  [{ href: 'https://example.com' }],
])('%p is none', async (url) => {
  expect(await accepts(url)).toBe(false);
});

test('a host that is typed in another form than it is read is answered with that form', () => {
  const problem = (url: string) => destinationUrl.safeParse(url).error?.issues.map(({ message }) => message);
  expect(problem('https://ex%61mple.org/')).toEqual(['The destination_url must have its host written as example.org.']);
  expect(problem('https://ＢÜcher.example')).toEqual([
    'The destination_url must have its host written as bücher.example.',
  ]);
  expect(problem('https://*/')).toEqual(['The destination_url must have the name or the address of a host.']);
  expect(problem('https://exa\u00admple.com')).toEqual([
    'The destination_url must not contain control characters or invisible ones.',
  ]);
});

test('any web address of another host is a destination', () =>
  fc.assert(
    fc.asyncProperty(fc.webUrl({ withFragments: true, withQueryParameters: true }), async (url) => {
      fc.pre(url.length <= 2048 && new URL(url).href.length <= 2048);
      expect(await accepts(url)).toBe(true);
    }),
  ));

test('every accepted destination is an http address of another host, without credentials and control characters', () => {
  const piece = fc.constantFrom('http:', 'https:', 'javascript:', '//', '/', '\\', '@', ':', 'go.test', 'example.com', 'user', '\r\n', '\t', '\u0000', '%2e', '.', '?', '#', ' ', '127.0.0.9', '[::1]', 'ｇｏ'); // prettier-ignore
  const text = fc.oneof(
    fc.array(piece, { maxLength: 10 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );
  return fc.assert(
    fc.asyncProperty(text, async (url) => {
      if (!(await accepts(url))) return;
      const { protocol, username, password, hostname } = new URL(url);
      expect(['http:', 'https:']).toContain(protocol);
      expect([username, password]).toEqual(['', '']);
      expect(ours).not.toContain(hostname.replace(/\.$/, ''));
      expect(url.trim()).toMatch(/^https?:\/\/[^\\/]/i);
      // oxlint-disable-next-line no-control-regex
      expect(url.trim()).not.toMatch(/[\u0000-\u001f\u007f]/);
    }),
    { numRuns: 2000 },
  );
});

test('our own host is found behind any prefix', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom('http', 'https', 'HTTP', 'hTTps'),
      fc.constantFrom('go.test', 'GO.test', 'go.test.', 's.test', 'links.acme.com', 'LINKS.ACME.COM', '127.0.0.9'),
      fc.option(fc.nat(65535), { nil: undefined }),
      fc.webPath(),
      async (scheme, host, port, path) => {
        expect(await accepts(`${scheme}://${host}${port === undefined ? '' : `:${port}`}${path}`)).toBe(false);
      },
    ),
  ));

test.each([
  ['http://127.0.0.1:8080/'],
  ['http://10.1.2.3/'],
  ['http://169.254.169.254/latest'],
  ['http://100.64.0.1/'],
  ['http://224.0.0.1/'],
  ['http://[::1]/'],
  ['http://[fe80::1]/'],
  ['http://[fd00::1]/'],
  ['http://[::ffff:10.0.0.1]/'],
  ['http://localhost/'],
  ['http://LOCALHOST.:3000/'],
  ['http://app.localhost/'],
  ['http://http/x'],
  ['http://intranet./'],
])('%s is a private destination', (url) => {
  expect(isPrivateHost(new URL(url).hostname)).toBe(true);
});

test.each([
  ['https://example.com/'],
  ['https://example.com./'],
  ['http://8.8.8.8/'],
  ['http://[2606:4700:4700::1111]/'],
  ['http://[::ffff:8.8.8.8]/'],
  ['http://wiki.intranet/'],
  ['http://notlocalhost.example/'],
  ['http://localhost.example/'],
])('%s is a public destination', (url) => {
  expect(isPrivateHost(new URL(url).hostname)).toBe(false);
});
