import Bowser from 'bowser';
import { LRUCache } from 'lru-cache';
import type { Device } from '@waymark/contract/analytics';
import { isBot } from './is-bot.js';

export interface UserAgent {
  device: Device;
  browser: string;
  os: string;
  /** By the user agent alone; `botReason` checks the other signs. */
  isBot: boolean;
  /** See `agentFamily`. */
  family: string;
}

/** The rest adds no information, and parsing time grows with the length. */
const LENGTH_MAX = 512;
const CACHED_MAX = 5000;
const UNKNOWN = 'unknown';

/** Apps that show pages in an embedded browser, which identifies itself as Safari or Chrome. */
const IN_APP_BROWSERS: readonly [RegExp, string][] = [
  [/\bInstagram\b/, 'Instagram'],
  [/\bFBAN\/Messenger|FB_IAB\/(?:MESSENGER|Orca)/i, 'Messenger'],
  [/\bFBA[NV]\/|\bFB_IAB\//, 'Facebook'],
  [/\bBytedanceWebview\b|\bmusical_ly|\btrill_|\bTikTok\b/i, 'TikTok'],
  [/\bLinkedInApp\b/, 'LinkedIn'],
  [/\bLine\/\d/i, 'LINE'],
  [/\bMicroMessenger\//, 'WeChat'],
  [/\bSnapchat\//, 'Snapchat'],
  [/\[Pinterest\/|\bPinterest for /, 'Pinterest'],
  [/\bTwitter for |\bTwitterAndroid\b/, 'X'],
  [/\bBarcelona \d/, 'Threads'],
  [/\bTelegram-(?:Android|iOS)\//, 'Telegram'],
  [/\bKAKAOTALK\b/i, 'KakaoTalk'],
  [/\bNAVER\(inapp/, 'NAVER'],
  [/\bReddit\//, 'Reddit'],
  [/\bZalo (?:iOS|android)\//i, 'Zalo'],
  [/\bViber\//, 'Viber'],
];

/** Browsers that Bowser names outside its own list. */
const OTHER_BROWSERS: readonly [RegExp, string][] = [
  [/\bOPT\//, 'Opera'],
  [/\bMiuiBrowser\//, 'MIUI Browser'],
];

/** Systems that Bowser does not know, with the device where it does not know that either. */
const SYSTEMS: readonly [RegExp, string, Device?][] = [
  [/\bPlayStation\b/, 'PlayStation', 'other'],
  [/\bNintendo\b/, 'Nintendo', 'other'],
  [/\bXbox\b/, 'Xbox', 'other'],
  [/\bFreeBSD\b/, 'FreeBSD', 'desktop'],
  [/\bOpenBSD\b/, 'OpenBSD', 'desktop'],
  [/\bNetBSD\b/, 'NetBSD', 'desktop'],
  [/\bDragonFly\b/, 'DragonFly BSD', 'desktop'],
  [/\bSunOS\b/, 'Solaris', 'desktop'],
  [/\bKAIOS\//i, 'KaiOS'],
  // Apps of Apple's systems that send requests without a browser do not say which system it is.
  [/\bDarwin\/\d/, 'Darwin'],
];

/**
 * The names that Bowser knows. For an unknown browser it returns the first word of the header, which the visitor
 * controls.
 */
const BROWSERS: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP));
/** Android apps that send requests without a browser; they run mostly on phones and seldom name the device. */
const ANDROID_APP = /^Dalvik\//;

const DESKTOP_SYSTEMS = new Set(['Windows', 'macOS', 'Linux', 'Chrome OS']);

/** Parses user agents; caches the most recent ones. */
export class UserAgents {
  private readonly cache = new LRUCache<string, UserAgent>({ max: CACHED_MAX });

  parseUserAgent(header: string): UserAgent {
    const text = header.slice(0, LENGTH_MAX);
    let result = this.cache.get(text);
    if (!result) {
      result = parseUserAgent(text);
      this.cache.set(text, result);
    }
    return result;
  }
}

function parseUserAgent(text: string): UserAgent {
  // Bowser throws on an empty user agent.
  if (text.trim() === '') return { device: 'other', browser: UNKNOWN, os: UNKNOWN, isBot: false, family: text };
  const { browser, os, platform } = Bowser.parse(text);
  const [system, device] = namesIn(SYSTEMS, text);
  return {
    device: device ?? (ANDROID_APP.test(text) ? 'mobile' : deviceOf(platform.type, os.name)),
    browser: namesIn(IN_APP_BROWSERS, text)[0] ?? browserOf(browser.name, text),
    os: system ?? (os.name || UNKNOWN),
    isBot: isBot(text),
    family: agentFamily(text),
  };
}

/** Returns what the table has for the first pattern that matches. */
function namesIn<T extends unknown[]>(table: readonly [RegExp, ...T][], text: string): T | [] {
  const [, ...names] = table.find(([pattern]) => pattern.test(text)) ?? [];
  return names;
}

function browserOf(name: string | undefined, text: string): string {
  if (name !== undefined && BROWSERS.has(name)) return name;
  return namesIn(OTHER_BROWSERS, text)[0] ?? UNKNOWN;
}

function deviceOf(type: string | undefined, os: string | undefined): Device {
  if (type === 'desktop' || type === 'mobile' || type === 'tablet') return type;
  // Bowser returns no type for Chromebooks; for televisions and bots it returns other types.
  return type === undefined && os !== undefined && DESKTOP_SYSTEMS.has(os) ? 'desktop' : 'other';
}

/**
 * Returns the stored form of a user agent, for later reclassification of its scan: replaces each number and version
 * with 0. Versions help to identify visitors but not bots, and the header may contain an IP address.
 */
export const agentFamily = (userAgent: string): string =>
  userAgent.replace(HEXADECIMAL, (part) => (part.split(':').length > 2 ? '0' : part)).replace(NUMBERS, '0');

/** A part with two or more colons may be an IPv6 address. */
const HEXADECIMAL = /[0-9a-f:.]+/gi;
const NUMBERS = /\d+(?:[._]\d+)*/g;
