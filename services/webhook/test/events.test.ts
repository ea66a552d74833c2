import type { z } from 'zod';
import type { Event } from '@waymark/contract/event';
import {
  CONTENT_EVENTS_OF,
  conversionRecorded,
  domainDegraded,
  domainFailed,
  domainSnapshot,
  domainVerified,
  linkImportCompleted,
  scanLogged,
  webhookDisabled,
  type DomainSnapshot,
  type LinkSnapshot,
} from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { DEFAULT_QR_STYLE } from '@waymark/contract/qr-style';
import { WEBHOOK_EVENT_TYPES, WEBHOOK_TEST } from '@waymark/contract/webhook-events';
import { visitSnapshot } from '@waymark/contract/visit-fields';
import { webhookPayloads } from '@waymark/contract/webhook-payloads';
import { waitFor } from '@waymark/testing/wait-for';
import {
  conversionData,
  disabledWebhookData,
  domainData,
  linkChangeData,
  linkScanData,
  qrScanData,
} from '@waymark/webhook/events/public-data';
import { exampleOf, shapeOf } from './guide.js';
import { Receiver } from './receiver.js';
import { loggedScan, scanEvent, Stack } from './stack.js';

const WORKSPACE = 'acme-corp';

const snapshot: LinkSnapshot = {
  id: newId('lnk'),
  revision: 3,
  hostname: 'go.acme.com',
  domain_id: newId('dom'),
  folder_id: newId('fld'),
  tag_ids: ['tag_1'],
  tags: [{ id: 'tag_1', name: 'Sale', color: '#ff0000' }],
  short_code: 'k7Qm2xa',
  short_url: 'https://go.acme.com/k7Qm2xa',
  title: 'Spring',
  destination_url: 'https://acme.com/spring',
  campaign_tag: 'spring-26',
  utm_defaults: { utm_source: 'a', utm_medium: 'b', utm_campaign: 'c', utm_term: 'd', utm_content: 'e' },
  query_policy: 'append',
  starts_at: null,
  expires_at: '2026-12-31T23:00:00.000Z',
  expired_url: null,
  max_scans: 500,
  redirect_status: 302,
  forward_path: false,
  status: 'active',
  availability: 'available',
  blocked: null,
  created_by: newId('usr'),
  archived_at: null,
  created_at: new Date().toISOString(),
  updated_at: new Date().toISOString(),
};
const { id, short_code, short_url, title, campaign_tag, folder_id, tags } = snapshot;
const scanned = { id, short_code, short_url, title, campaign_tag, folder_id, tags };
const changes = { title: { from: 'Winter', to: 'Spring' } };

function content(deployment: 'links' | 'qr'): Event[] {
  return Object.values(CONTENT_EVENTS_OF[deployment]).map((definition) =>
    definition.create(
      { workspace: WORKSPACE },
      { link: deployment === 'links' ? snapshot : { ...snapshot, style: DEFAULT_QR_STYLE } },
      { target: null, changes },
    ),
  );
}

function scan(): Event {
  const logged = loggedScan(WORKSPACE);
  return scanEvent([{ ...logged, scan: { ...logged.scan, campaign: 'spring-26' }, link: scanned }]);
}

function others(): Event[] {
  const context = { workspace: WORKSPACE };
  const occurredAt = new Date().toISOString();
  const conversion = {
    id: newId('cnv'),
    link_id: id,
    short_code,
    source: 'shop',
    meta: { order: 'A-17' },
    value: 49.9,
    currency: 'EUR',
    external_id: 'A-17',
    occurred_at: occurredAt,
    recorded_at: occurredAt,
    status: 'recorded' as const,
    rejection: null,
    updated_at: occurredAt,
  };
  const counts = { created_count: 1, updated_count: 0, unchanged_count: 0, skipped_count: 0, failed_count: 0 };
  const times = {
    created_at: occurredAt,
    started_at: occurredAt,
    finished_at: occurredAt,
    rows_kept_until: occurredAt,
  };
  const options = { on_duplicate: 'fail', dry_run: false };
  const job = { id: newId('imp'), status: 'completed', options, total_rows: 1, processed_rows: 1, ...counts, ...times };
  const urls = {
    root_url: 'https://acme.com/',
    not_found_url: 'https://acme.com/a',
    expired_url: 'https://acme.com/b',
  };
  const files = { apple_app_site_association: '{"applinks":{}}', assetlinks: '[]' };
  const domain = { id: newId('dom'), revision: 1, hostname: 'go.acme.com', ...urls, indexable: true, ...files };
  return [
    conversionRecorded.create(context, { conversion, link: scanned }),
    linkImportCompleted.create(context, { import: { ...job, errors: [{ row: 1 }], internal: true } }),
    domainVerified.create(context, { domain: { ...domain, status: 'verified' } }),
    domainDegraded.create(context, { domain: { ...domain, status: 'degraded' } }),
    domainFailed.create(context, { domain: { ...domain, status: 'failed' } }),
  ];
}

function disabled(): Event {
  const reason = { from: null, to: 'The endpoint answered 410 Gone.' };
  const data = { webhook_id: newId('whk'), url: 'https://hooks.acme.com/waymark' };
  return webhookDisabled.create({ workspace: WORKSPACE }, data, { target: null, changes: { reason } });
}

/** Types that the guide documents with the example of another type. */
const SHOWN_BY: Record<string, string> = {
  'link.created': 'link.updated',
  'link.archived': 'link.updated',
  'link.reactivated': 'link.updated',
  'link.expired': 'link.updated',
  'link.blocked': 'link.updated',
  'link.unblocked': 'link.updated',
  'link.deleted': 'link.updated',
  'domain.degraded': 'domain.verified',
  'domain.failed': 'domain.verified',
};

describe.each(['links', 'qr'] as const)('in the %s deployment', (deployment) => {
  const ofDeployment = deployment === 'links' ? [...content('links'), ...others()] : content('qr');
  const events = [scan(), ...ofDeployment, disabled()];
  const types = WEBHOOK_EVENT_TYPES[deployment];
  const sent = [...types, WEBHOOK_TEST];
  let stack: Stack;
  let receiver: Receiver;
  let testId: string;

  beforeAll(async () => {
    receiver = await Receiver.start();
    stack = await Stack.start({ DEPLOYMENT: deployment });
    const endpoint = await stack.subscribe(receiver.at('/all'), WORKSPACE, [...types]);
    for (const event of events) await stack.publish(event);
    const { body } = await stack.call('POST', `/webhooks/${endpoint.id}/test`, undefined, WORKSPACE);
    testId = body.data.event_id;
    await waitFor('every event', () => receiver.on('/all').length === sent.length);
  });
  afterAll(async () => {
    await stack.stop();
    receiver.stop();
  });

  test('every type that can be subscribed to is sent, and the test event, each once', () => {
    expect(
      receiver
        .on('/all')
        .map(({ body }) => body.type)
        .sort(),
    ).toEqual([...sent].sort());
  });

  test('every payload names its event, its workspace and when it happened', () => {
    for (const { id: headerId, body } of receiver.on('/all')) {
      expect(body.id).toBe(headerId);
      expect(body).toMatchObject({ workspace: WORKSPACE, created_at: expect.stringMatching(/\.\d{3}Z$/) });
      const event = events.find(({ type }) => type === body.type);
      if (event && body.type !== 'scan.logged') expect(body.id).toBe(event.id);
    }
    expect(receiver.on('/all').some(({ id: sentId }) => sentId === testId)).toBe(true);
  });

  test('every payload is what the contract says of its type', () => {
    const payloads = webhookPayloads(deployment);
    for (const { body } of receiver.on('/all')) {
      const payload = payloads[body.type]!;
      const data = payload.shape['data'] as z.ZodObject;
      expect(payload.extend({ data: data.strict() }).strict().safeParse(body).error?.issues ?? []).toEqual([]);
    }
  });

  test('every payload has the fields that the guide shows, and no others', () => {
    for (const { body } of receiver.on('/all')) {
      const shown = exampleOf(SHOWN_BY[body.type] ?? body.type, deployment);
      if (shown) expect(shapeOf({ ...body, type: '' })).toEqual(shapeOf({ ...shown, type: '' }));
      else expect(deployment).toBe('qr');
    }
  });

  if (deployment === 'qr') {
    test('a scan names its code and nothing of links, and a change shows the code', () => {
      const byType = Object.fromEntries(receiver.on('/all').map(({ body }) => [body.type, body]));
      const { data } = byType['scan.logged'];
      expect(Object.keys(data)).toEqual(['scan', 'qr_code']);
      expect(data.scan).toMatchObject({ qr_code_id: 'lnk_1', short_code: 'spring' });
      expect(data.scan).not.toHaveProperty('link_id');
      expect(data.scan).not.toHaveProperty('trigger');
      expect(Object.keys(data.qr_code)).toEqual(['id', 'short_code', 'short_url', 'title', 'campaign_tag']);
      const changed = byType['qr_code.created'].data;
      expect(Object.keys(changed)).toEqual(['qr_code', 'changes']);
      expect(changed).toMatchObject({ changes, qr_code: { style: DEFAULT_QR_STYLE, updated_at: snapshot.updated_at } });
      for (const name of ['revision', 'hostname', 'domain', 'folder_id', 'tags'])
        expect(changed.qr_code).not.toHaveProperty(name);
    });
  }
});

test('a field that is added to one of our events stays inside', () => {
  const { scan: inner, link } = loggedScan(WORKSPACE);
  const withMore = { scan: { ...inner, visitor_key: 'v' }, link: { ...link, revision: 1 }, workspace: WORKSPACE };
  const { conversion } = others()[0]!.data as { conversion: object };
  const converted = { conversion: { ...conversion, token_id: 't' }, link: withMore.link } as never;
  const { domain } = others().find(({ type }) => type === domainVerified.type)!.data as { domain: DomainSnapshot };
  for (const data of [
    linkScanData(withMore),
    qrScanData(withMore),
    conversionData(converted),
    domainData({ domain }),
  ]) {
    expect(JSON.stringify(data)).not.toMatch(/visitor_key|revision|token_id|applinks|assetlinks/);
  }
});

test('the short URL of a link on a host beyond ASCII is also sent as people write it', () => {
  const link = { ...snapshot, hostname: 'xn--bcher-kva.example' };
  const data = linkChangeData({ link, changes: {}, changedAt: snapshot.updated_at! });
  expect(data.link['short_url_unicode']).toBe('https://bücher.example/k7Qm2xa');
});

test('a member who disables an endpoint gives no reason', () => {
  const data = { webhook_id: 'whk_1', url: 'https://hooks.acme.com/' };
  const sent = disabledWebhookData(data, { enabled: { from: true, to: false } });
  expect(sent).toEqual({ webhook: { id: 'whk_1', url: data.url }, reason: null });
});

test('an event of a domain without its newer fields is read as if they were empty', () => {
  const old = { id: 'dom_1', revision: 1, hostname: 'go.acme.com', status: 'verified', not_found_url: null };
  const none = { root_url: null, expired_url: null, indexable: false };
  const domain = domainSnapshot.parse(old);
  expect(domain).toEqual({ ...old, ...none, apple_app_site_association: null, assetlinks: null });
  const { revision: _revision, ...shown } = old;
  expect(domainData({ domain })).toEqual({ domain: { ...shown, ...none } });
});

describe('an event of 0.1.0 that is still queued', () => {
  const {
    revision,
    domain_id: _domain,
    created_by: _author,
    updated_at: _time,
    archived_at: _archived,
    availability: _availability,
    ...known
  } = Object.fromEntries(Object.entries(snapshot).filter(([name]) => !(name in visitSnapshot))) as LinkSnapshot;

  test('is sent with the fields that it has, and with the time of its change', () => {
    const { tags: _tags, folder_id: _folder, tag_ids: _ids, blocked: _blocked, ...old } = known;
    const changedAt = '2026-01-31T12:00:00.000Z';
    const data = linkChangeData({ link: { ...old, revision }, changes: {}, changedAt });
    expect(data).toEqual({
      link: {
        ...scanned,
        short_url_unicode: null,
        folder_id: undefined,
        tags: undefined,
        destination_url: old.destination_url,
        utm_defaults: old.utm_defaults,
        query_policy: 'append',
        status: 'active',
        created_at: old.created_at,
        updated_at: changedAt,
      },
      changes: {},
    });
  });

  test('is accepted by the schemas of scans and conversions, and tells the state of a conversion', () => {
    const {
      scan: { language: _language, ...inner },
      link: full,
    } = loggedScan(WORKSPACE);
    const { folder_id: _folder, tags: _tags, ...link } = full;
    const logged = { workspace: WORKSPACE, scan: inner, link };
    expect(scanLogged.schema.parse({ scans: [logged] }).scans).toEqual([logged]);
    expect(linkScanData(logged)).toEqual({ scan: inner, link });

    const { conversion } = others()[0]!.data as { conversion: Record<string, unknown> };
    const { status: _status, rejection: _rejection, updated_at: updatedAt, ...old } = conversion;
    const data = conversionRecorded.schema.parse({ conversion: old, link });
    expect(conversionData(data)).toEqual({
      conversion: { ...old, status: 'recorded', rejection: null, updated_at: updatedAt },
      link,
    });
  });
});
