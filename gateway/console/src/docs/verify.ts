import { installCommand, type Language } from './samples.js';

/** Programs that verify the signature of an event; `type` is the type of the client for its body. */
export const verifySample = (language: Language, { origin, type }: { origin: string; type: string }): string =>
  ({ curl: WORDS, typescript: typescript(origin, type), python: PYTHON })[language];

const WORDS = `# What is signed, byte by byte, as it was received:
#   <webhook-id>.<webhook-timestamp>.<body>
# The key is the base64-decoded part of the signing secret after whsec_.
# A signature is v1, and the base64 of HMAC-SHA256. webhook-signature has one,
# or several with spaces between them: one of them must be yours.
# Refuse a webhook-timestamp that is more than 300 seconds off.`;

const typescript = (origin: string, type: string) => `// ${installCommand(origin)}
import { webhooks, type ${type} } from '@waymark/client';

/** \`body\` is the body as it was received; throws for a wrong signature, or one older than five minutes. */
export function verify(body: Uint8Array, headers: Record<string, string>): ${type} {
  return webhooks.verify<${type}>(body, headers, process.env.SIGNING_SECRET!);
}`;

const PYTHON = `import base64, hmac, os, time

def verify(body, headers):
    """body: the bytes as they were received; the names of headers in lower case"""
    signed = f'{headers["webhook-id"]}.{headers["webhook-timestamp"]}.'.encode() + body
    key = base64.b64decode(os.environ["SIGNING_SECRET"].removeprefix("whsec_"))
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    signatures = headers["webhook-signature"].split(" ")
    age = abs(time.time() - int(headers["webhook-timestamp"]))
    return age <= 300 and any(hmac.compare_digest(expected, each) for each in signatures)`;
