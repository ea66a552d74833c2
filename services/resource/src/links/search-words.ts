const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Where a word begins inside a run of letters: `SpringSale`, and scripts that are written without spaces. */
const BEGINNING = /(?<=\p{Ll})(?=\p{Lu})|(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])/u;
const WORD_LENGTH_MAX = 40;
/** Letters that Unicode does not take apart, as people type them who lack them. */
const TYPED_AS: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', ß: 'ss', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' };
const TYPED_OTHERWISE = new RegExp(`[${Object.keys(TYPED_AS).join('')}]`, 'g');
/** Every destination has them: they narrow nothing. */
const SAID_BY_ALL = new Set(['http', 'https', 'www']);

/**
 * The words of texts, the first so many, that a link is found by. A search finds it when each word of the search is the beginning of one of these,
 * which is a range of an index on any database.
 */
export function wordsIn(texts: string[], max = Infinity): string[] {
  const words = new Set<string>();
  for (const run of texts.flatMap(runsOf)) {
    const parts = run.split(BEGINNING);
    for (let at = 0; at < parts.length && words.size < max; at += 1) {
      words.add(plain(parts.slice(at, at + WORD_LENGTH_MAX).join('')));
    }
  }
  return [...words];
}

/** Each word is a condition of the query. The URL of a page has fewer; a text that is pasted by mistake has more. */
export const SEARCH_WORDS_MAX = 8;

/** None for a search that has no letter or digit: it finds nothing. */
export function wordsOfSearch(search: string): string[] {
  const words = [...new Set(runsOf(search).map(plain))];
  const telling = words.filter((word) => !SAID_BY_ALL.has(word));
  return telling.length > 0 ? telling : words;
}

function runsOf(text: string): string[] {
  return decoded(text).normalize('NFKC').match(WORD) ?? [];
}

/** Without case and accents. */
function plain(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(TYPED_OTHERWISE, (letter) => TYPED_AS[letter]!)
    .slice(0, WORD_LENGTH_MAX);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
