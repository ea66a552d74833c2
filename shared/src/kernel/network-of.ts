/** Who has one IPv6 address has its whole /64. */
export function networkOf(address = ''): string {
  if (!address.includes(':') || address.includes('.')) return address.replace(/^.*:/, '');
  const [head = [], tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : head;
  return groups.slice(0, 4).join(':');
}
