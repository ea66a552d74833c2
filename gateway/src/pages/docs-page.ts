import { join } from 'node:path';
import { Router } from 'express';
import helmet from 'helmet';
import { PUBLIC_FOLDER, staticFiles } from './static-files.js';

/** Serves the API reference with Swagger UI below `/docs`; the page loads nothing from other hosts. */
export function docsPage(): Router {
  const router = Router();
  router.use(
    helmet.contentSecurityPolicy({
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        // Swagger UI sets inline styles, and its icons are data URLs.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        objectSrc: ["'none'"],
        frameAncestors: ["'none'"],
      },
    }),
    // Overrides `no-store` of the API: browsers may cache these files if they revalidate them.
    staticFiles(join(PUBLIC_FOLDER, 'docs'), 'no-cache'),
  );
  return router;
}
