import { analyticsRoutes } from './analytics.js';
import { auditRoutes } from './audit-logs.js';
import { conversionRoutes } from './conversions.js';
import { domainRoutes } from './domains.js';
import { explainRoutes } from './explain.js';
import { folderRoutes } from './folders.js';
import { invitationRoutes } from './invitations.js';
import { importRoutes } from './imports.js';
import { linkRoutes } from './links.js';
import { openApiRoutes } from './openapi.js';
import { qrCodeRoutes } from './qr-codes.js';
import { qrImageRoutes } from './qr-images.js';
import type { RouteDefinition } from './route.js';
import { tagRoutes } from './tags.js';
import { tokenRoutes } from './tokens.js';
import { userRoutes } from './users.js';
import { utmTemplateRoutes } from './utm-templates.js';
import { webhookRoutes } from './webhooks.js';
import { workspaceRoutes } from './workspaces.js';

/** Every route of the product. The gateway enforces from it, services mount from it; a route not in it does not exist. */
export const ROUTES = {
  ...userRoutes,
  ...workspaceRoutes,
  ...invitationRoutes,
  ...tokenRoutes,
  ...linkRoutes,
  ...importRoutes,
  ...qrCodeRoutes,
  ...folderRoutes,
  ...tagRoutes,
  ...utmTemplateRoutes,
  ...conversionRoutes,
  ...qrImageRoutes,
  ...explainRoutes,
  ...analyticsRoutes,
  ...webhookRoutes,
  ...domainRoutes,
  ...auditRoutes,
  ...openApiRoutes,
} as const satisfies Record<string, RouteDefinition>;

export type Routes = typeof ROUTES;
export type RouteName = keyof Routes;
