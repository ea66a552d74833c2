const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Where a word begins inside a run of letters: `SpringSale`, and scripts that are written without spaces. */
const BEGINNING = /(?<=\p{Ll})(?=\p{Lu})|(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])/u;
const WORD_LENGTH_MAX = 40;
/** Beginnings that are looked at for each word that is wanted: a text may repeat one word a thousand times. */
const BEGINNINGS_PER_WORD = 4;
/** Letters that Unicode does not decompose, as users without them on their keyboard type them. */
const TYPED_AS: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', ß: 'ss', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' };
const TYPED_OTHERWISE = new RegExp(`[${Object.keys(TYPED_AS).join('')}]`, 'g');
/** Every destination has them, so they do not narrow a search. */
const SAID_BY_ALL = new Set(['http', 'https', 'www']);

/**
 * Returns the words, up to `max`, by which a search finds a link: each word of the search must be a prefix of one of
 * them, which is an index range on any database.
 */
export function wordsIn(texts: string[], max: number): string[] {
  const words = new Set<string>();
  let left = max * BEGINNINGS_PER_WORD;
  for (const run of texts.flatMap(runsOf)) {
    const parts = run.split(BEGINNING);
    for (let index = 0; index < parts.length && words.size < max && left > 0; index += 1) {
      words.add(plain(parts.slice(index, index + WORD_LENGTH_MAX).join('')));
      left -= 1;
    }
  }
  return [...words];
}

/** Each word is a condition of the query. The URL of a page has fewer words; a text pasted by mistake has more. */
export const SEARCH_WORDS_MAX = 8;

/** Returns no words for a search without a letter or digit, which finds nothing. */
export function wordsOfSearch(search: string): string[] {
  const words = [...new Set(runsOf(search).map(plain))];
  const telling = words.filter((word) => !SAID_BY_ALL.has(word));
  return telling.length > 0 ? telling : words;
}

function runsOf(text: string): string[] {
  return decoded(text).normalize('NFKC').match(WORD) ?? [];
}

/** Removes case and accents. */
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
