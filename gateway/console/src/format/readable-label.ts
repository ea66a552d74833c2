import { decode } from 'punycode/punycode.es6.js';

/** The scripts that names are written in, alone or in these mixtures (as browsers show them). */
const SCRIPTS = [
  ...[
    'Latin',
    'Greek',
    'Cyrillic',
    'Armenian',
    'Georgian',
    'Hebrew',
    'Arabic',
    'Devanagari',
    'Bengali',
    'Tamil',
    'Thai',
  ],
  ...['Han}\\p{scx=Hiragana}\\p{scx=Katakana', 'Han}\\p{scx=Hangul', 'Han}\\p{scx=Bopomofo'],
].map((names) => new RegExp(`^[\\p{scx=${names}}0-9-]+$`, 'u'));
/** Cyrillic letters that look like Latin ones: a name of these alone passes for another name. */
const LOOK_ALIKES = /^[асԁеһіјӏорԛѕԝхуьүѵ0-9-]+$/u;

/** Returns a label such as `xn--mnchen-3ya` as it is written, or as it is where that may imitate another name. */
export function readableLabel(label: string): string {
  if (!label.startsWith('xn--')) return label;
  try {
    const text = decode(label.slice(4));
    const isSafe = SCRIPTS.some((script) => script.test(text)) && !LOOK_ALIKES.test(text);
    // A browser takes the text for the same name: it is normalised, and nothing in it is invisible.
    return isSafe && new URL(`https://${text}.example`).hostname === `${label}.example` ? text : label;
  } catch {
    return label;
  }
}
