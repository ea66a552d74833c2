/** `%74`, and the `%u0074` that old Microsoft servers decode. */
const ESCAPE = /%u([0-9a-f]{4})|%([0-9a-f]{2})/gi;
const PLAIN = /^[\w-]*$/;
/** A proxy in front of the destination may decode once more. */
const DECODINGS_MAX = 4;

/**
 * Returns every name under which some server could read this parameter: ignoring case, encoding, surrounding spaces
 * and text in brackets or after a dot, and with `_` for the characters that PHP replaces. `a=1;b=2` is one parameter to
 * most servers and two to some, so it has the names of both.
 */
export function namesReadFrom(raw: string): string[] {
  return raw.includes(';') ? raw.split(';').flatMap(namesOfPair) : namesOfPair(raw);
}

/** Returns the names as written that are not plain: reading one takes a hundred times as long as a plain one. */
export const unusualNamesIn = (raw: string): string[] =>
  (raw.includes(';') ? raw.split(';') : [raw]).map(nameOf).filter((name) => !PLAIN.test(name));

function namesOfPair(pair: string): string[] {
  const name = nameOf(pair);
  return PLAIN.test(name) ? [name.toLowerCase()] : namesReadAs(name);
}

function nameOf(pair: string): string {
  const end = pair.indexOf('=');
  return end === -1 ? pair : pair.slice(0, end);
}

function namesReadAs(written: string): string[] {
  const [beforeNul = ''] = decode(written).split('\0');
  // Some servers map look-alikes, such as full-width letters, to ASCII.
  const name = beforeNul.normalize('NFKC').toUpperCase().toLowerCase().trim();
  const beforeBracket = firstOf(name, /[[\]]+/);
  const beforeDot = firstOf(name, /[[\].]+/);
  return [name, beforeBracket, beforeDot].map((reading) => reading.replace(/[\s.[\]]/g, '_'));
}

/** Some servers skip brackets at the beginning. */
const firstOf = (name: string, separator: RegExp): string => name.split(separator).find((part) => part !== '') ?? '';

function decode(written: string): string {
  let name = written;
  for (let round = 0; round < DECODINGS_MAX; round += 1) {
    const decoded = decodeOnce(name);
    if (decoded === name) break;
    name = decoded;
  }
  return name;
}

/** Never fails: bytes that are not UTF-8 become U+FFFD. */
function decodeOnce(written: string): string {
  const bytes = utf8(written)
    .replaceAll('+', ' ')
    .replace(ESCAPE, (_escape, wide: string | undefined, byte: string | undefined) =>
      wide === undefined ? String.fromCharCode(parseInt(byte!, 16)) : utf8(String.fromCharCode(parseInt(wide, 16))),
    );
  return Buffer.from(bytes, 'latin1').toString();
}

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
