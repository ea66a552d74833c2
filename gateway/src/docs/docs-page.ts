import { dirname, join } from 'node:path';
import { Router, type RequestHandler } from 'express';
import { refuseMethod, answerMethods } from '@waymark/kernel/http/router';
import helmet from 'helmet';

const ASSETS = dirname(require.resolve('swagger-ui-dist/package.json'));
const ALLOWED = 'GET, HEAD';
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Waymark API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** `validatorUrl: null` keeps Swagger UI from sending the document to an online validator. */
const START = `SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null });\n`;

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
        frameAncestors: ["'none'"],
      },
    }),
  );
  const serve = (path: string, send: RequestHandler) =>
    router.route(path).get(send).options(answerMethods(ALLOWED)).all(refuseMethod(ALLOWED));
  serve('/', (_request, response) => void response.type('html').send(PAGE));
  serve('/start.js', (_request, response) => void response.type('js').send(START));
  for (const file of FILES) serve(`/${file}`, sendAsset(file));
  return router;
}

function sendAsset(file: string): RequestHandler {
  return (_request, response, next) => {
    // Overrides `no-store` of the API: browsers may cache these files if they revalidate them.
    response.setHeader('Cache-Control', 'no-cache');
    response.sendFile(join(ASSETS, file), { acceptRanges: false }, (error) => {
      const { status, code } = (error ?? {}) as { status?: number; code?: string };
      if (status === 412) response.status(status).end();
      else if (error && code !== 'ECONNABORTED' && !response.headersSent) next(error);
    });
  };
}
