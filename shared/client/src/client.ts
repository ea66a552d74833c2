import createClient, { type Client } from 'openapi-fetch';
import type { components as LinksComponents, paths as LinksPaths } from './generated/links.js';
import type { components as QrComponents, paths as QrPaths } from './generated/qr.js';

export interface ClientOptions {
  /** The API's origin, e.g. `https://api.example.com`. */
  baseUrl: string;
  /** A personal access token; a browser's session goes into `headers`. */
  token?: string;
  headers?: Readonly<Record<string, string>>;
}

export type LinksClient = Client<LinksPaths>;
export type QrClient = Client<QrPaths>;

/** The named schemas of the API, e.g. `LinksSchemas['Link']`. */
export type LinksSchemas = LinksComponents['schemas'];
export type QrSchemas = QrComponents['schemas'];

/**
 * Returns a client for a links deployment, with types for each path, parameter, body and answer. A call returns `data`
 * or, for a status that is not a success, `error`; it throws only when there is no answer.
 */
export function linksClient(options: ClientOptions): LinksClient {
  return createClient<LinksPaths>(settingsOf(options));
}

/** Returns a client for a QR codes deployment. */
export function qrClient(options: ClientOptions): QrClient {
  return createClient<QrPaths>(settingsOf(options));
}

function settingsOf({ baseUrl, token, headers }: ClientOptions) {
  return { baseUrl, headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers } };
}
