import { z } from 'zod';
import { formatInvalid, oneOf, report, tooManyBytes, wrongType } from './problems.js';

/*
 * The files by which iOS and Android let an app open the links of a host:
 * https://developer.apple.com/documentation/bundleresources/applinks and
 * https://developers.google.com/digital-asset-links/v1/statements. A check refuses only what neither can read.
 */

type JsonObject = Record<string, unknown>;

/** Counts the JSON text without spaces, as the redirect serves it. */
export const APP_FILE_BYTES_MAX = 64 * 1024;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);
const isText = (value: unknown): boolean => typeof value === 'string';

const ASSOCIATION = 'apple_app_site_association';
/** Each with its list: without it the service associates no app. */
const APPLE_SERVICES = {
  applinks: { list: 'details', isItem: isObject },
  webcredentials: { list: 'apps', isItem: isText },
  appclips: { list: 'apps', isItem: isText },
  activitycontinuation: { list: 'apps', isItem: isText },
} as const;

function checkAssociation(file: JsonObject, ctx: z.RefinementCtx): void {
  refuseLarge(ASSOCIATION, file, ctx);
  const services = Object.entries(APPLE_SERVICES).filter(([service]) => Object.hasOwn(file, service));
  if (services.length === 0)
    report(ctx, formatInvalid(ASSOCIATION, `have the field ${oneOf(Object.keys(APPLE_SERVICES))}`));
  for (const [service, { list, isItem }] of services) {
    const name = `${ASSOCIATION}.${service}`;
    const content = file[service];
    if (!isObject(content)) report(ctx, wrongType(name, 'object'), [service]);
    else if (!isListOf(content[list], isItem)) {
      const items = isItem === isText ? 'text' : 'objects';
      report(ctx, formatInvalid(`${name}.${list}`, `be a list of ${items}`), [service, list]);
    }
  }
}

const ASSET_LINKS = 'assetlinks';
/** A statement, or the address of a file with more of them. */
const isStatement = ({ include, relation, target }: JsonObject): boolean =>
  isText(include) || (isListOf(relation, isText) && isObject(target));

function checkAssetLinks(file: JsonObject[], ctx: z.RefinementCtx): void {
  refuseLarge(ASSET_LINKS, file, ctx);
  const index = file.findIndex((statement) => !isStatement(statement));
  if (index === -1) return;
  const rule = 'have a relation (a list of text) and a target (an object)';
  report(ctx, formatInvalid(`${ASSET_LINKS}.${index}`, rule), [index]);
}

function refuseLarge(name: string, file: object, ctx: z.RefinementCtx): void {
  if (Buffer.byteLength(JSON.stringify(file)) <= APP_FILE_BYTES_MAX) return;
  report(ctx, tooManyBytes(name, APP_FILE_BYTES_MAX, 'bytes of JSON'));
}

/** The systems that read these files define their fields. */
const objectOr = (error: string) => z.record(z.string(), z.unknown(), { error });
export const appleAppSiteAssociation = objectOr(wrongType(ASSOCIATION, 'object').message)
  .superRefine(checkAssociation)
  .describe('The file `apple-app-site-association`, at most 64 kB.');
export const assetLinks = z
  .array(objectOr(`The ${ASSET_LINKS} must be a list of objects.`), { error: wrongType(ASSET_LINKS, 'list').message })
  .superRefine(checkAssetLinks)
  .describe('The file `assetlinks.json`, at most 64 kB.');
