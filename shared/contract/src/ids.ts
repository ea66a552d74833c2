import { createHash, randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

export type IdPrefix =
  | 'usr' // user
  | 'ses' // session
  | 'inv' // invitation to a workspace
  | 'tok' // access token
  | 'lnk' // link
  | 'qr' // QR code
  | 'fld' // folder
  | 'tag' // tag
  | 'utm' // UTM template
  | 'imp' // import job
  | 'scn' // scan
  | 'cnv' // conversion
  | 'whk' // webhook endpoint
  | 'evt' // event
  | 'dlv' // webhook delivery
  | 'att' // one attempt of a delivery
  | 'dom' // custom domain
  | 'aud'; // audit log entry
export type Id<P extends IdPrefix = IdPrefix> = `${P}_${string}`;

/** The library asks for one random byte at a time; taken from a pool, an id costs a fraction. */
const pool = Buffer.alloc(4096);
let taken = pool.length;
function random(): number {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  return pool[taken++]! / 256;
}

const nextUlid = monotonicFactory(random);

/** A new id: prefix + ULID (https://github.com/ulid/spec), ascending within this process. */
export function newId<P extends IdPrefix>(prefix: P): Id<P> {
  return `${prefix}_${nextUlid()}`;
}

/** Returns the same ULID under another prefix, to derive a stable event id from the id of the event's subject. */
export function rePrefix<P extends IdPrefix>(id: string, prefix: P): Id<P> {
  return `${prefix}_${id.slice(id.indexOf('_') + 1)}`;
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Derives an id from a source and parts: the time of the source's ULID, then 80 bits of a hash. */
export function derivedId<P extends IdPrefix>(prefix: P, source: string, ...parts: string[]): Id<P> {
  const time = source.slice(source.indexOf('_') + 1).slice(0, 10);
  const hash = createHash('sha256')
    .update(JSON.stringify([prefix, source, ...parts]))
    .digest();
  const tail = Array.from(hash.subarray(0, 16), (byte) => CROCKFORD[byte & 31]).join('');
  return `${prefix}_${time}${tail}`;
}
