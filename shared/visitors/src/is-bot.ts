import { isbotMatch } from 'isbot';

/**
 * Returns the part of a user agent that tells a program, or `null`. `isbot` finds words such as `scan`, `news` and `feed`, which in the user
 * agent of a complete mobile browser are part of the name of a device, or of the app whose embedded browser a person uses.
 */
export function botMatch(userAgent: string): string | null {
  const [, platform, products] = MOBILE_BROWSER.exec(userAgent) ?? [];
  if (platform === undefined || products === undefined || !ENGINE.test(products) || CONTACT.test(userAgent))
    return isbotMatch(userAgent) ?? matchOf(PROGRAM_LIBRARY, userAgent);
  return matchOf(PROGRAM, products) ?? matchOf(PROGRAM_ON_DEVICE, platform);
}

const matchOf = (pattern: RegExp, text: string): string | null => pattern.exec(text)?.[0] ?? null;

export const isBot = (userAgent: string): boolean => botMatch(userAgent) !== null;

/** Versions are 0 in the stored form of a user agent, see `agentFamily`. */
const MOBILE_BROWSER =
  /^Mozilla\/[\d.]+ \(((?:iPhone|iPad|iPod|Android|Linux;(?: U;)? Android)\b[^()]*(?:\([^()]*\)[^()]*)?)\) AppleWebKit\/[\d.]+ \(KHTML, like Gecko\) (.*)$/;
const ENGINE = /\b(?:Mobile|Chrome|CriOS|Safari)\/\d/;
/** Crawlers name a page or an address at which their owner can be reached. */
const CONTACT = /https?:|www\.|@|\.com\b|\bcompatible;/i;
/** What programs that drive a mobile browser call themselves. */
const PROGRAM =
  /bots?\b|spider|crawl|preview|headless|lighthouse|\bPTST\/|synthetic|observatory|optimizer|monitor|dareboost|hotjar|devtools|selenium|playwright|puppeteer|\bgoogle-|-google\b/i;
/** A program among the properties of the device has a version; the words of a device's name have none. */
const PROGRAM_ON_DEVICE = /(?:bot|spider|crawler|-google)\w*\/\d|\bcatchpoint\b/i;
/** HTTP clients that `isbot` does not know. */
const PROGRAM_LIBRARY = /PowerShell\/|\bdart:io\b/;
