import { z } from 'zod';
import { workspaceSlug } from '@waymark/contract/common';
import type { RouteDefinition } from '@waymark/contract/route';
import { PREFER_HEADER } from '@waymark/kernel/http/handling';
import { IDEMPOTENCY_HEADER } from '@waymark/kernel/http/idempotency';
import { takesConditions } from './responses.js';

interface Shared {
  /** Under which the document has it once, for all operations. */
  id: string;
  description: string;
  example?: string;
}
const shared = <T extends z.ZodType>(schema: T, { id, ...meta }: Shared): T => schema.meta({ ...meta, param: { id } });

/** By the last two segments of the path that they are in. */
const PATH_PARAMETERS: Readonly<Record<string, z.ZodString>> = {
  'workspaces/{workspace}': shared(workspaceSlug, {
    id: 'path_workspace',
    description: 'Slug of the workspace, which never changes.',
    example: 'acme',
  }),
  'members/{user}': pathParameter('member_id', 'Id of the user who is a member, `usr_…`.'),
  'invitations/{id}': pathParameter('invitation_id', 'Id of the invitation, `inv_…`.'),
  'invitations/{token}': pathParameter('invitation_token', 'Token of the invitation: the part of its link behind `#`.'),
  'sessions/{id}': pathParameter('session_id', 'Id of one of your sessions, `ses_…`.'),
  'tokens/{tokenId}': pathParameter('token_id', 'Id of the token, `tok_…`; not the token itself.'),
  'links/{id}': pathParameter('link_id', 'Id of the link, `lnk_…`; not its short code.'),
  'imports/{id}': pathParameter('import_id', 'Id of the import, `imp_…`.'),
  'qr-codes/{id}': pathParameter('qr_code_id', 'Id of the QR code, `qr_…`; not its short code.'),
  'folders/{id}': pathParameter('folder_id', 'Id of the folder, `fld_…`.'),
  'tags/{id}': pathParameter('tag_id', 'Id of the tag, `tag_…`.'),
  'utm-templates/{id}': pathParameter('utm_template_id', 'Id of the UTM template, `utm_…`.'),
  'webhooks/{id}': pathParameter('webhook_id', 'Id of the webhook endpoint, `whk_…`.'),
  'deliveries/{delivery}': pathParameter(
    'delivery_id',
    'Id of a delivery to this endpoint, `dlv_…`, or of one of its attempts, `att_…`.',
  ),
  'domains/{id}': pathParameter('domain_id', 'Id of the custom domain, `dom_…`.'),
};

/** Its component has another name than a schema and than a parameter of a query: clients make a type of each. */
function pathParameter(id: string, description: string): z.ZodString {
  return shared(z.string(), { id: `path_${id}`, description });
}

/** Describes the parameters in a path of the route table. */
export function pathParameters(path: string): z.ZodObject {
  const places = [...path.matchAll(/[\w-]+\/\{(\w+)\}/g)].map(([place, name]): [string, z.ZodString] => {
    const parameter = PATH_PARAMETERS[place];
    if (!parameter) throw new Error(`the path parameter of ${place} has no description`);
    return [name!, parameter];
  });
  return z.object(Object.fromEntries(places));
}

const PREFERENCE = {
  [PREFER_HEADER]: shared(z.string().optional(), {
    id: PREFER_HEADER,
    description:
      '`handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` ' +
      'refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240).',
    example: 'handling=lenient',
  }),
};

const key = (id: string, repeated: string) =>
  shared(z.string().min(1).max(255).optional(), {
    id,
    description:
      'Makes the request safe to repeat: a text of your choice of 1 to 255 printable characters. Send the same one again when you repeat the request. For ' +
      `24 hours the same key and body ${repeated} The same key with another body is a 409.`,
    example: '0b8f6c1e-8d0a-4b0e-9a5c-6f1d2e3c4b5a',
  });
const IDEMPOTENCY_KEY = {
  replay: key(IDEMPOTENCY_HEADER, 'get the first answer. The order of names in the JSON does not matter.'),
  secret: key(`${IDEMPOTENCY_HEADER}_secret`, 'are a 409 that names what was created: its secret is shown once.'),
};

const CONDITIONS = {
  'If-Match': shared(z.string().optional(), {
    id: 'If-Match',
    description:
      'Entity tags (`ETag`) with commas, or `*`. If the item has none of them, the answer is a 412 and nothing changes.',
  }),
  'If-None-Match': shared(z.string().optional(), {
    id: 'If-None-Match',
    description:
      'Entity tags (`ETag`) with commas, or `*`. If the item has one of them, a GET is a 304, and a change a 412.',
  }),
};

export function headerParameters(route: RouteDefinition): z.ZodObject {
  return z.object({
    ...PREFERENCE,
    ...(route.idempotent && {
      [IDEMPOTENCY_HEADER]: IDEMPOTENCY_KEY[route.idempotent === 'secret' ? 'secret' : 'replay'],
    }),
    ...(takesConditions(route) && CONDITIONS),
  });
}
