import type { Handlers } from '@waymark/kernel/http/api';
import type { ResourceContext } from './context.js';
import { FOLDER } from './folders/folder.js';
import { importHandlers } from './imports/routes.js';
import { presentLink, presentQrCode } from './links/link.js';
import { linkHandlers } from './links/routes.js';
import { namedItemHandlers } from './named-items/routes.js';
import { qrImageHandlers } from './qr-images/routes.js';
import { TAG } from './tags/tag.js';
import { UTM_TEMPLATE } from './utm-templates/utm-template.js';

export function resourceHandlers(ctx: ResourceContext, wakeImports: () => void): Handlers<'resource'> {
  const links = linkHandlers(ctx, presentLink);
  const qrCodes = linkHandlers(ctx, presentQrCode);
  const folders = namedItemHandlers(ctx, FOLDER);
  const tags = namedItemHandlers(ctx, TAG);
  const utmTemplates = namedItemHandlers(ctx, UTM_TEMPLATE);
  return {
    'links.list': links.list,
    'links.create': links.create,
    'links.show': links.show,
    'links.update': links.update,
    'links.delete': links.delete,
    ...importHandlers(ctx, wakeImports),
    ...qrImageHandlers(ctx),
    'qr_codes.list': qrCodes.list,
    'qr_codes.create': qrCodes.create,
    'qr_codes.show': qrCodes.show,
    'qr_codes.update': qrCodes.update,
    'qr_codes.delete': qrCodes.delete,
    'folders.list': folders.list,
    'folders.create': folders.create,
    'folders.show': folders.show,
    'folders.update': folders.update,
    'folders.delete': folders.delete,
    'tags.list': tags.list,
    'tags.create': tags.create,
    'tags.show': tags.show,
    'tags.update': tags.update,
    'tags.delete': tags.delete,
    'utm_templates.list': utmTemplates.list,
    'utm_templates.create': utmTemplates.create,
    'utm_templates.show': utmTemplates.show,
    'utm_templates.update': utmTemplates.update,
    'utm_templates.delete': utmTemplates.delete,
  };
}
