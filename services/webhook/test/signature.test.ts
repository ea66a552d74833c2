import { Webhook } from 'standardwebhooks';
import { createSigningSecret } from '@waymark/webhook/endpoints/secret-box';
import { signatureHeader } from '@waymark/webhook/http/signature';

test('the vector that every Standard Webhooks library is tested with gives its signature', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';
  expect(signatureHeader([secret], { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body })).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('with two valid secrets the published library accepts either', () => {
  const secrets = [createSigningSecret(), createSigningSecret()];
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureHeader(secrets, { id: 'evt_1', timestamp, body: '{"a":"ü"}' }),
  };
  for (const secret of secrets) expect(new Webhook(secret).verify('{"a":"ü"}', headers)).toEqual({ a: 'ü' });
  expect(() => new Webhook(createSigningSecret()).verify('{"a":"ü"}', headers)).toThrow();
});

test('a new secret has 32 random bytes', () => {
  const [first, second] = [createSigningSecret(), createSigningSecret()];
  expect(Buffer.from(first.replace('whsec_', ''), 'base64')).toHaveLength(32);
  expect(first).not.toBe(second);
});
