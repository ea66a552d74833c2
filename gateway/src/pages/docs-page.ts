import { join } from 'node:path';
import { Router } from 'express';
import helmet from 'helmet';
import { PUBLIC_FOLDER, staticFiles } from './static-files.js';

/** Serves the API reference below `/docs`; the page loads nothing from other hosts. */
export function docsPage(): Router {
  const router = Router();
  router.use(
    helmet.contentSecurityPolicy({
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        // The style sheet has an icon, and an answer may be an image.
        imgSrc: ["'self'", 'data:', 'blob:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
      },
    }),
    // Overrides `no-store` of the API: browsers may cache these files if they revalidate them.
    staticFiles(join(PUBLIC_FOLDER, 'docs'), 'no-cache'),
  );
  return router;
}
