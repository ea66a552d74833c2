import type { Group, Operation } from './document.js';

/** What a deployment makes: links or QR codes, and the operations of the first steps. */
export interface Product {
  noun: string;
  /** The function of `@waymark/client`. */
  client: string;
  /** The type of the client for the body of an event. */
  event: string;
  create: Operation;
  /** Draws the code. */
  image?: Operation;
  summary: Operation;
  /** The parameter that selects one item's figures. */
  filter: string;
}

const WORKSPACE = '/api/v1/workspaces/{workspace}';

export function productOf(groups: Group[]): Product {
  const operations = groups.flatMap((group) => group.operations);
  const find = (method: string, path: string) =>
    operations.find((each) => each.method === method && each.path === WORKSPACE + path);
  const createCode = find('POST', '/qr-codes');
  const summary = find('GET', '/analytics/summary')!;
  return createCode
    ? {
        noun: 'QR code',
        client: 'qrClient',
        event: 'QrEvent',
        create: createCode,
        image: find('GET', '/qr-codes/{id}/image'),
        summary,
        filter: 'qr_code_id',
      }
    : {
        noun: 'link',
        client: 'linksClient',
        event: 'LinksEvent',
        create: find('POST', '/links')!,
        summary,
        filter: 'link_id',
      };
}
