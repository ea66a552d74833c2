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
