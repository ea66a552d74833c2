import { Program } from './code.js';
import { verifySample } from './verify.js';

/** The anchor. */
export const VERIFY = 'verify-webhooks';

/** How a receiver verifies the signature of an event; `type` is the type of the client for its body. */
export function VerifyWebhook({ type }: { type: string }) {
  return (
    <div class="verify">
      <h3 id={VERIFY} tabIndex={-1}>
        Verify a signature
      </h3>
      <p>
        Over the bytes of the body as they were received, before they are parsed. <code>SIGNING_SECRET</code> is the{' '}
        <code>meta.signing_secret</code> of the endpoint.
      </p>
      <Program
        label="Verify a signature"
        textOf={(language) => verifySample(language, { origin: location.origin, type })}
      />
    </div>
  );
}
