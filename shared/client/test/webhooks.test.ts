import { Webhook } from 'standardwebhooks';
import { webhooks, type LinksEvent } from '@waymark/client';

const SECRET = `whsec_${Buffer.from('a secret of 32 bytes, as we have').toString('base64')}`;
const BODY = JSON.stringify({ id: 'evt_1', type: 'link.created', data: { link: { id: 'lnk_1' } } });

function headersOf(body: string, sentAt = new Date()) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign('evt_1', sentAt, body),
  };
}

test('verify returns the event, of a text or of bytes, with the headers of Node or of fetch', () => {
  const headers = headersOf(BODY);
  for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY)]) {
    for (const given of [headers, new Headers(headers)]) {
      const event = webhooks.verify<LinksEvent>(body, given, SECRET);
      if (event.type !== 'link.created') throw new Error('Another event.');
      expect(event.data.link.id).toBe('lnk_1');
    }
  }
});

test.each<[string, string, Record<string, string>]>([
  ['a changed body', `${BODY} `, headersOf(BODY)],
  ['an old delivery', BODY, headersOf(BODY, new Date(Date.now() - 6 * 60_000))],
  ['a missing signature', BODY, { 'webhook-id': 'evt_1', 'webhook-timestamp': '1' }],
  ['no headers', BODY, {}],
])('verify refuses %s', (_name, body, headers) => {
  expect(() => webhooks.verify(body, headers, SECRET)).toThrow(webhooks.WebhookVerificationError);
});
