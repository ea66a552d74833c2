import { monotonicFactory } from 'ulid';

export type IdPrefix =
  | 'usr' // user
  | 'ses' // session
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

const nextUlid = monotonicFactory();

/** A new id: prefix + ULID (https://github.com/ulid/spec), ascending within this process. */
export function newId<P extends IdPrefix>(prefix: P): Id<P> {
  return `${prefix}_${nextUlid()}`;
}

/** The same ULID under another prefix: derives a stable event id from the id of what happened. */
export function rePrefix<P extends IdPrefix>(id: string, prefix: P): Id<P> {
  return `${prefix}_${id.slice(id.indexOf('_') + 1)}`;
}
