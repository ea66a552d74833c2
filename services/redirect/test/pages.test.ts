import { ConfigError, loadConfig } from '@waymark/kernel/process/config';
import { redirectConfig } from '../src/config.js';
import { LANGUAGES, languageOf } from '../src/pages/language.js';
import { renderPage } from '../src/pages/page.js';
import { REFUSALS } from '../src/pages/refusals.js';

describe('the language of a page', () => {
  test.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['en, de', 'en'],
    ['de, en', 'de'],
    ['de;q=0.7, en;q=0.8', 'en'],
    ['en;q=0.7 , de ; q=0.8', 'de'],
    ['fr, de;q=0.1', 'de'],
    ['fr', 'en'],
    ['*', 'en'],
    ['de;q=0', 'en'],
    ['den, deu', 'en'],
    ['de;q=9', 'en'],
    [`${'fr,'.repeat(20)}de`, 'en'],
  ])('for %j is %s', (header, language) => expect(languageOf(header)).toBe(language));
});

test('a page escapes the name of the installation and its title', () => {
  const page = renderPage({ language: 'de', title: '<i>&', body: '<p>x</p>', pageName: `"'<b>` });
  expect(page).toContain('<title>&lt;i&gt;&amp; · &quot;&#39;&lt;b&gt;</title>');
  expect(page).toContain('<html lang="de">');
  expect(page).not.toMatch(/<[ib]>/);
});

test.each(Object.entries(REFUSALS))('%s has a text of its own in each language', (_refusal, texts) => {
  const messages = LANGUAGES.map((language) => texts[language].message);
  expect(new Set(messages).size).toBe(LANGUAGES.length);
});

describe('the settings of the default host', () => {
  const load = (env: Record<string, string>) =>
    loadConfig(redirectConfig, {
      MONGODB_URI: 'mongodb://127.0.0.1/none',
      AMQP_URL: 'amqp://127.0.0.1',
      SHORT_BASE_URL: 'https://go.acme.com',
      SHORT_HOSTS: 's.acme.com:8443',
      SPOOL_DIR: '/tmp',
      ...env,
    });

  test('are none unless they are set, and an empty variable sets none', () => {
    const none = { PAGE_NAME: 'Waymark', ROOT_URL: undefined, NOT_FOUND_URL: undefined, EXPIRED_URL: undefined };
    expect(load({})).toMatchObject(none);
    expect(load({ PAGE_NAME: '', ROOT_URL: '', NOT_FOUND_URL: '', EXPIRED_URL: '' })).toMatchObject(none);
    expect(load({ EXPIRED_URL: 'https://www.acme.com/' }).EXPIRED_URL).toBe('https://www.acme.com/');
  });

  test.each([
    ['ROOT_URL', 'https://go.acme.com/start'],
    ['NOT_FOUND_URL', 'http://S.acme.com/'],
    ['EXPIRED_URL', 'https://go.acme.com.:444/'],
    ['ROOT_URL', 'javascript:alert(1)'],
    ['NOT_FOUND_URL', 'www.acme.com'],
  ])('refuse %s=%s at the start', (name, url) => {
    expect(() => load({ [name]: url })).toThrow(ConfigError);
    expect(() => load({ [name]: url })).toThrow(name);
  });
});
