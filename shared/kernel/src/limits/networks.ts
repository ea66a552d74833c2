/** Returns an IPv4 address, or the /64 of an IPv6 address, whose user controls all of it. */
export function networkOf(address = ''): string {
  return isIpv6(address) ? groupsOf(address).slice(0, 4).join(':') : address.replace(/^.*:/, '');
}

export interface Network {
  name: string;
  /** Times the limit of a single address: a provider hands out a /56 or a /48 to one customer, or to many. */
  limitFactor: number;
}

/**
 * Every network that a limit per address counts: an IPv4 address alone, or the /64, /56 and /48 of an IPv6 address.
 * Takes the result of `networkOf` as well.
 */
export function networksOf(address = ''): Network[] {
  const name = networkOf(address);
  if (!isIpv6(address)) return [{ name, limitFactor: 1 }];
  const [first, second, third, fourth] = name.split(':');
  const site = `${first}:${second}:${third}`;
  const upperByte = (parseInt(fourth!, 16) >> 8).toString(16);
  return [
    { name, limitFactor: 1 },
    { name: `${site}:${upperByte}/56`, limitFactor: 4 },
    { name: `${site}/48`, limitFactor: 16 },
  ];
}

/** An IPv4 address that is mapped into IPv6 is an IPv4 address. */
const isIpv6 = (address: string): boolean => address.includes(':') && !address.includes('.');

function groupsOf(address: string): string[] {
  const [head = [], tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  return tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : head;
}
