import { parentDomainsOf } from '@waymark/contract/hostname';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';

const COMMENT = /(?:^|\s)#.*$/;
const URL_BEGINNING = /^https?:\/\//i;
/** Characters that mean the same whether they are encoded or not (RFC 3986, 2.3). */
const ENCODED_UNRESERVED = /%(?:2d|2e|5f|7e|3[0-9]|[46][1-9a-f]|[57][0-9a])/gi;

/** Hosts with their subdomains, and prefixes of URLs, to which no link may lead. */
export class BlockList {
  private readonly hosts = new Set<string>();
  /** By the host with its port. */
  private readonly prefixes = new Map<string, string[]>();

  /** The number of entries. */
  size = 0;

  /** @returns false for a line that is neither a host nor the beginning of a URL */
  addLine(line: string): boolean {
    const entry = line.replace(COMMENT, '').trim();
    if (entry === '') return true;
    const isUrl = URL_BEGINNING.test(entry);
    const url = URL.parse(isUrl ? entry : `http://${entry}`);
    if (!url || (!isUrl && !isPlainHost(url))) return false;
    if (isUrl) this.prefixes.set(url.host, [...(this.prefixes.get(url.host) ?? []), afterScheme(url)]);
    else this.hosts.add(parentDomainsOf(url.hostname)[0]!);
    this.size += 1;
    return true;
  }

  includes(url: URL): boolean {
    if (parentDomainsOf(url.hostname).some((host) => this.hosts.has(host))) return true;
    const prefixes = this.prefixes.get(url.host);
    if (!prefixes) return false;
    const text = afterScheme(url);
    return prefixes.some((prefix) => text.startsWith(prefix));
  }
}

/** @param onBrokenLine gets the numbers of lines that are left out */
export async function parseBlockList(text: string, onBrokenLine: (number: number) => void): Promise<BlockList> {
  const list = new BlockList();
  let number = 0;
  for await (const line of yieldingToEventLoop(text.split('\n'))) {
    number += 1;
    if (!list.addLine(line)) onBrokenLine(number);
  }
  return list;
}

const isPlainHost = ({ pathname, search, hash, port, username, password }: URL): boolean =>
  pathname === '/' && `${search}${hash}${port}${username}${password}` === '';

/** The scheme makes no difference, nor do needless percent encodings. */
const afterScheme = ({ host, pathname, search }: URL): string =>
  host + (pathname + search).replace(ENCODED_UNRESERVED, decodeURIComponent);
