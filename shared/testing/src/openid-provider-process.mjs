import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { URLSearchParams } from 'node:url';
import { Provider } from 'oidc-provider';

// A real OpenID provider on loopback, in a process of its own. It signs in the person of these claims: the `login_hint` of
// the authorization request, as base64url, or what a browser enters into its form.
const [, , firstRedirectUri, clientId, clientSecret] = process.argv;
let redirectUri = firstRedirectUri;
const accounts = new Map();
const realTime = Date.now;
const FORM =
  '<!doctype html><title>Provider</title><form method="post"><label>Claims <input name="claims"></label><button>Enter</button></form>';
let handle;
const server = createServer((request, response) => handle(request, response));

server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  serve(issuer);
  process.on('message', (change) => {
    Date.now = () => realTime() + (change.clockOffsetSeconds ?? 0) * 1000;
    redirectUri = change.redirectUri ?? redirectUri;
    if (change.rotateKeys || change.redirectUri) serve(issuer);
    process.send({ done: true });
  });
  process.send({ issuer });
});
process.on('disconnect', () => process.exit());

/** Serves with a new key; codes and grants stay, since the library keeps them beside the provider. */
function serve(issuer) {
  const provider = createProvider(issuer);
  const callback = provider.callback();
  handle = (request, response) => {
    if (!request.url.startsWith('/interaction/')) return callback(request, response);
    signIn(provider, request, response).catch((error) => {
      console.error(error);
      response.writeHead(500).end();
    });
  };
}

function createProvider(issuer) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => accounts.get(id) }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  });
}

async function readClaims(request, hint) {
  if (hint) return JSON.parse(Buffer.from(hint, 'base64url').toString());
  if (request.method !== 'POST') return undefined;
  return JSON.parse(new URLSearchParams(await text(request)).get('claims'));
}

async function signIn(provider, request, response) {
  const { params } = await provider.interactionDetails(request, response);
  const claims = await readClaims(request, params.login_hint);
  if (!claims) return response.writeHead(200, { 'content-type': 'text/html' }).end(FORM);
  accounts.set(claims.sub, claims);
  const grant = new provider.Grant({ accountId: claims.sub, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const result = claims.refuses
    ? { error: 'access_denied', error_description: 'The person refuses.' }
    : { login: { accountId: claims.sub }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}
