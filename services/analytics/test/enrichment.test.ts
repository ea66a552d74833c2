import { createLog } from '@waymark/kernel/process/log';
import { agentFamily, UserAgents } from '@waymark/visitors/user-agent';
import { preferredLanguage } from '@waymark/visitors/language';
import { Locations } from '@waymark/analytics/enrichment/locations';
import { parseReferrerHost } from '@waymark/analytics/enrichment/referrer';

const WEBKIT_IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const CHROME_ANDROID = (device: string) =>
  `Mozilla/5.0 (Linux; Android 14; ${device}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0`;
const WEB_VIEW =
  'Mozilla/5.0 (Linux; Android 13; SM-A536B Build/TP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';

describe('a user agent', () => {
  const agents = new UserAgents();
  test.each([
    [
      `${WINDOWS} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36`,
      'desktop',
      'Chrome',
      'Windows',
    ],
    [
      `${WINDOWS} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.86`,
      'desktop',
      'Microsoft Edge',
      'Windows',
    ],
    [
      `${WINDOWS} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/116.0.0.0`,
      'desktop',
      'Opera',
      'Windows',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', 'desktop', 'Firefox', 'Linux'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15',
      'desktop',
      'Safari',
      'macOS',
    ],
    [
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      'desktop',
      'Chrome',
      'Chrome OS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1',
      'mobile',
      'Safari',
      'iOS',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
      'tablet',
      'Safari',
      'iOS',
    ],
    [`${CHROME_ANDROID('Pixel 8')} Mobile Safari/537.36`, 'mobile', 'Chrome', 'Android'],
    [`${CHROME_ANDROID('SM-X700')} Safari/537.36`, 'tablet', 'Chrome', 'Android'],
    [
      `${WEBKIT_IPHONE} Mobile/15E148 Instagram 337.0.3.23.54 (iPhone14,5; iOS 17_5_1; en_US; en; scale=3.00)`,
      'mobile',
      'Instagram',
      'iOS',
    ],
    [
      `${WEBKIT_IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/470.0.0.37.107;FBBV/615234321;FBDV/iPhone13,2]`,
      'mobile',
      'Facebook',
      'iOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 12; SM-A526B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/471.0.0.42.76;]',
      'mobile',
      'Facebook',
      'Android',
    ],
    [`${WEBKIT_IPHONE} Mobile/15E148 [FBAN/MessengerForiOS;FBAV/460.0]`, 'mobile', 'Messenger', 'iOS'],
    [
      `${WEBKIT_IPHONE} Mobile/15E148 musical_ly_34.5.0 JsSdk/2.0 NetType/WIFI BytedanceWebview/d8a21c6`,
      'mobile',
      'TikTok',
      'iOS',
    ],
    [`${WEBKIT_IPHONE} Mobile/15E148 [LinkedInApp]/9.29.7586`, 'mobile', 'LinkedIn', 'iOS'],
    [`${WEBKIT_IPHONE} Mobile/15E148 Safari Line/14.9.1`, 'mobile', 'LINE', 'iOS'],
    [
      `${WEBKIT_IPHONE} Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/en`,
      'mobile',
      'WeChat',
      'iOS',
    ],
    [
      `${WEBKIT_IPHONE} Version/17.5 Mobile/15E148 Snapchat/12.90.0.36 (like Safari/8618.2.12.10.9, panda)`,
      'mobile',
      'Snapchat',
      'iOS',
    ],
    [
      'Mozilla/5.0 (PlayStation; PlayStation 5/6.50) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15',
      'other',
      'Safari',
      'PlayStation',
    ],
    [
      `${WINDOWS.replace(')', '; Xbox; Xbox One)')} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/48.0.2564.82 Safari/537.36 Edge/20.02`,
      'other',
      'Microsoft Edge',
      'Xbox',
    ],
    [
      'Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/601.6 (KHTML, like Gecko) NF/4.0.0.5.9 NintendoBrowser/5.1.0.13341',
      'other',
      'Safari',
      'Nintendo',
    ],
    [
      'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/3.0 Chrome/76.0.3809.146 TV Safari/537.36',
      'other',
      'Samsung Internet for Android',
      'Tizen',
    ],
    ['Mozilla/5.0 (X11; FreeBSD amd64; rv:127.0) Gecko/20100101 Firefox/127.0', 'desktop', 'Firefox', 'FreeBSD'],
    [
      'Mozilla/5.0 (X11; OpenBSD amd64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
      'desktop',
      'Chrome',
      'OpenBSD',
    ],
    ['Mozilla/5.0 (X11; NetBSD amd64; rv:109.0) Gecko/20100101 Firefox/115.0', 'desktop', 'Firefox', 'NetBSD'],
    ['Mozilla/5.0 (X11; SunOS i86pc; rv:60.0) Gecko/20100101 Firefox/60.0', 'desktop', 'Firefox', 'Solaris'],
    [`${WEBKIT_IPHONE} Version/17.5 Mobile/15E148 Safari/604.1 OPT/4.7.0`, 'mobile', 'Opera', 'iOS'],
    [`${WEB_VIEW} XiaoMi/MiuiBrowser/14.10.1.3-gn`, 'mobile', 'MIUI Browser', 'Android'],
    ['Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5', 'mobile', 'Firefox', 'KaiOS'],
    [`${WEBKIT_IPHONE} Mobile/15E148 Barcelona 336.0.0.24.102 (iPhone14,5; iOS 17_5)`, 'mobile', 'Threads', 'iOS'],
    [`${WEB_VIEW} Telegram-Android/11.3.3 (Samsung SM-A536B; Android 13)`, 'mobile', 'Telegram', 'Android'],
    [`${WEB_VIEW};KAKAOTALK 2610450`, 'mobile', 'KakaoTalk', 'Android'],
    [`${WEBKIT_IPHONE} Mobile/15E148 NAVER(inapp; search; 2000; 12.5.2; 14PRO)`, 'mobile', 'NAVER', 'iOS'],
    [`${WEBKIT_IPHONE} Mobile/15E148 Reddit/Version 2024.17.0`, 'mobile', 'Reddit', 'iOS'],
    [`${WEBKIT_IPHONE} Mobile/15E148 Zalo iOS/24050`, 'mobile', 'Zalo', 'iOS'],
    [`${WEB_VIEW} Viber/22.3.0.0`, 'mobile', 'Viber', 'Android'],
    ['MyApp/12 CFNetwork/1494.0.7 Darwin/23.4.0', 'other', 'unknown', 'Darwin'],
    ['', 'other', 'unknown', 'unknown'],
    ['Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8)', 'mobile', 'Android Browser', 'Android'],
    ['FooBar/1.0 é', 'other', 'unknown', 'unknown'],
  ])('%s is parsed into device, browser and system', (header, device, browser, os) => {
    expect(agents.parseUserAgent(header)).toEqual({ device, browser, os, isBot: false, family: agentFamily(header) });
  });

  test.each([
    'curl/8.5.0',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'WhatsApp/2.23.20.0',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
    `${CHROME_ANDROID('Nexus 5X Build/MMB29P')} Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
    `${CHROME_ANDROID('Nexus 5')} Mobile Safari/537.36; Bytespider`,
    `${CHROME_ANDROID('moto g power (2022)')} Mobile Safari/537.36 Chrome-Lighthouse`,
    `${CHROME_ANDROID('Pixel 2; Storebot-Google/1.0')} Mobile Safari/537.36`,
    `${WEBKIT_IPHONE} Version/7.0 Mobile/11A465 Safari/9537.53 BingPreview/1.0b`,
    `${WEBKIT_IPHONE} Version/15.0 Mobile/15E148 Safari/604.1 PTST/SpeedCurve/230120.120134`,
    `${WEBKIT_IPHONE} Mobile/15E148 FeedFetcher/2.0 (feed@reader.example)`,
    `${WINDOWS} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 CookieHubScan/3.0`,
    'Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots',
    'Better Uptime Bot Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/74.0 Safari/537.36',
    'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.4412',
    'Mozilla/5.0 (Linux; Debian GNU/Linux 12; en-US) PowerShell/7.4.2',
    'Dart/3.4 (dart:io)',
  ])('%s is a bot, also in its stored form', (header) => {
    expect(agents.parseUserAgent(header).isBot).toBe(true);
    expect(agents.parseUserAgent(agentFamily(header)).isBot).toBe(true);
  });

  test.each([
    `${WEB_VIEW} QRScanner/2.1`,
    `${WEB_VIEW} com.xiaomi.scanner/13.2105`,
    `${WEB_VIEW} ArchiveReader/2 URLShare/1 Download/3`,
    'Mozilla/5.0 (Linux; U; Android 13; en-us; Redmi Note 11 Build/TKQ1) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0 Mobile Safari/537.36 com.xiaomi.scanner/13.2105',
    `${WEBKIT_IPHONE} Mobile/15E148 BarcodeScanner/4.1`,
    `${WEBKIT_IPHONE} Mobile/15E148 CamScanner/4.5.0`,
    `${WEBKIT_IPHONE} Mobile/15E148 SmartNews 24.6`,
    `${WEBKIT_IPHONE} Mobile/15E148 Feedly/85`,
    `${WEBKIT_IPHONE} Mobile/15E148 GoogleNews/5.1`,
    `${CHROME_ANDROID('M BOT TAB 101 Build/MOB30R')} Safari/537.36`,
    `${CHROME_ANDROID('CUBOT_P20')} Mobile Safari/537.36`,
    `${CHROME_ANDROID('GLX Spider1S Build/KOT49H')} Mobile Safari/537.36`,
    `${CHROME_ANDROID('ruby')} Mobile Safari/537.36 Instagram 337.0.3.23.54`,
    `${CHROME_ANDROID('java')} Mobile Safari/537.36 Instagram 337.0.3.23.54`,
  ])('%s is a person, also in its stored form', (header) => {
    expect(agents.parseUserAgent(header).isBot).toBe(false);
    expect(agents.parseUserAgent(agentFamily(header)).isBot).toBe(false);
  });

  test('an address in a user agent is not a browser name', () => {
    expect(agents.parseUserAgent('203.0.113.77/1.0 (x)').browser).toBe('unknown');
  });

  test('the parser truncates a user agent of a megabyte', () => {
    const header = `${WINDOWS} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36${'x'.repeat(1e6)}`;
    expect(agents.parseUserAgent(header)).toMatchObject({ device: 'desktop', os: 'Windows' });
  });
});

test.each([
  ['', 'direct'],
  ['https://www.Example.com/path?q=1', 'example.com'],
  ['https://news.ycombinator.com/', 'news.ycombinator.com'],
  ['http://example.com.:8080/', 'example.com'],
  ['android-app://com.google.android.gm/', 'com.google.android.gm'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
  [Buffer.from('https://bücher.example/').toString('latin1'), 'xn--bcher-kva.example'],
  ['not a url', 'direct'],
  ['about:blank', 'direct'],
  ['http://203.0.113.7/', 'direct'],
  ['http://3405803783/', 'direct'],
  ['http://[2001:db8::1]/', 'direct'],
  ['weird://a%20b/', 'direct'],
  ['tg://resolve', 'direct'],
  ['chrome-extension://abcdef/x', 'direct'],
  ['ios-app://1234567/https/x', 'direct'],
])('the referrer %p is %s', (header, referrer) => {
  expect(parseReferrerHost(header)).toBe(referrer);
});

describe('a place', () => {
  const log = createLog('test', 'silent');
  const unknown = { country: 'unknown', region: 'unknown', city: 'unknown' };
  const packaged = new Locations({}, log);
  beforeAll(() => packaged.loaded);

  test.each([
    ['81.2.69.160', 'GB', 'England', 'London'],
    ['::ffff:81.2.69.160', 'GB', 'England', 'London'],
    ['193.0.6.139', 'NL', 'North Holland', 'Amsterdam'],
    ['2a02:6b8::1', 'RU', 'Moscow', 'Moscow'],
  ])('the location of %s is in the packaged data', (address, country, region, city) => {
    expect(packaged.locationOf(address)).toEqual({ country, region, city });
  });

  test.each(['127.0.0.1', '10.1.2.3', '192.168.0.1', '::1', 'fe80::1', 'fd00::1', '203.0.113.5', '', 'nonsense'])(
    'the location of %s is unknown',
    (address) => {
      expect(packaged.locationOf(address)).toEqual(unknown);
    },
  );

  test('every location is unknown without data', async () => {
    const absent = new Locations({ v4: '/nowhere/v4.mmdb', v6: '/nowhere/v6.mmdb' }, log);
    await absent.loaded;
    expect(absent.locationOf('81.2.69.160')).toEqual(unknown);
  });
});

test('a language is looked up once, whichever headers name it and in whichever case', () => {
  const lookUp = jest.spyOn(Intl, 'getCanonicalLocales');
  const headers = ['qaa,qab;q=0.9,nl-BE', 'nl,qab,qaa;q=0.1', 'QAA-x,QAB,NL;q=0.5'];
  expect(headers.map(preferredLanguage)).toEqual(['nl', 'nl', 'nl']);
  expect(lookUp.mock.calls.map(([tag]) => tag)).toEqual(['qaa', 'qab', 'nl']);
  lookUp.mockRestore();
});
