import { z } from 'zod';
import { isItem } from '@waymark/contract/common';
import type { RouteDefinition } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { canonicalJson } from '@waymark/kernel/canonical-json';
import { entityTagOf, findKnown, matchesForChange, readTagList, tagWithCoding } from '@waymark/kernel/http/entity-tag';

const LINK = { id: 'lnk_1', title: 'One', availability: 'available', scans_count: 3, last_scanned_at: null };
const TAG = entityTagOf(LINK);

const ifMatch = (header: string) => matchesForChange(readTagList('If-Match', header), TAG);
const ifNoneMatch = (header: string) => findKnown(readTagList('If-None-Match', header), TAG);

test('an entity tag is strong, and does not depend on the order of the fields', () => {
  expect(TAG).toMatch(/^"[\w-]{16}\.[\w-]{16}"$/);
  expect(entityTagOf(Object.fromEntries(Object.entries(LINK).toReversed()))).toBe(TAG);
  expect(entityTagOf({ id: 'tag_1' })).toMatch(/^"[\w-]{16}"$/);
});

test('a changed field changes what If-Match compares', () => {
  const changed = entityTagOf({ ...LINK, title: 'Two' });
  expect(matchesForChange(readTagList('If-Match', TAG), changed)).toBe(false);
});

test('a scan changes the tag for If-None-Match, but not the part that If-Match compares', () => {
  const scanned = entityTagOf({
    ...LINK,
    availability: 'used_up',
    scans_count: 4,
    last_scanned_at: '2026-01-01T00:00:00.000Z',
  });
  expect(scanned).not.toBe(TAG);
  expect(matchesForChange(readTagList('If-Match', TAG), scanned)).toBe(true);
  expect(findKnown(readTagList('If-None-Match', TAG), scanned)).toBeUndefined();
});

test('If-Match accepts * and lists of tags, and compares strongly', () => {
  expect(['*', ' * ', TAG, `"other", ${TAG}`, `"a,b" ,${TAG}`].map(ifMatch)).toEqual([true, true, true, true, true]);
  expect(['"other"', `W/${TAG}`, `W/${TAG}, "other"`].map(ifMatch)).toEqual([false, false, false]);
});

test('If-None-Match compares weakly, and returns the tag in the form that the client has', () => {
  const compressed = tagWithCoding(TAG, 'gzip');
  expect(ifNoneMatch('*')).toBe(TAG);
  expect(ifNoneMatch(`W/${TAG}`)).toBe(TAG);
  expect(ifNoneMatch(`"other",${compressed}`)).toBe(compressed);
  expect(ifNoneMatch('"other"')).toBeUndefined();
});

test('each content coding has its own strong tag, which If-Match accepts', () => {
  const compressed = tagWithCoding(TAG, 'br');
  expect(compressed).toBe(`${TAG.slice(0, -1)}+br"`);
  expect(ifMatch(compressed)).toBe(true);
  expect(tagWithCoding('W/"x"', 'br')).toBe('W/"x"');
});

test.each(['', ',', 'nope', TAG.slice(1), `*, ${TAG}`, `${TAG} ${TAG}`, `${TAG}x`, 'w/"x"', '"with space "', '""""'])(
  'the header %j is rejected with 400',
  (header) => {
    expect(() => readTagList('If-Match', header)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining('If-Match') as string }),
    );
  },
);

test('canonical JSON ignores only the order of names, at every depth', () => {
  const text = canonicalJson({ b: [{ d: 1, c: '2' }], a: null });
  expect(text).toBe('{"a":null,"b":[{"c":"2","d":1}]}');
  expect(canonicalJson(JSON.parse('{ "a" : null, "b": [ {"c":"\\u0032", "d":1.0} ] }'))).toBe(text);
  expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
  expect(canonicalJson(JSON.parse('{"__proto__":{"b":1}}'))).toBe('{"__proto__":{"b":1}}');
});

test('every route that returns one object returns an item, except reports', () => {
  const isReport = (name: string) => name.startsWith('analytics.') || name === 'audit_logs.verify';
  const others = Object.entries<RouteDefinition>(ROUTES).filter(
    ([
      name,
      {
        response: { schema },
      },
    ]) => {
      const data = schema instanceof z.ZodObject ? (schema.shape['data'] as unknown) : undefined;
      return data instanceof z.ZodObject && !isItem(schema!) && !isReport(name);
    },
  );
  expect(others.map(([name]) => name)).toEqual([]);
});

// The key would be kept with a hash of the passwords, or with secrets that are shown once.
test('every POST accepts an Idempotency-Key, except those of accounts, answers to invitations, replay and explain', () => {
  const posts = Object.entries<RouteDefinition>(ROUTES).filter(([, { method }]) => method === 'POST');
  expect(posts.filter(([, { idempotent }]) => !idempotent).map(([name]) => name)).toEqual([
    'user.changePassword',
    'user.resetPassword',
    'user.requestPasswordReset',
    'user.startTotp',
    'user.confirmTotp',
    'session.create',
    'session.reauthenticate',
    'invitations.accept',
    'invitations.lookUp',
    'invitations.acceptByToken',
    'user.acceptInvitation',
    'user.declineInvitation',
    'links.explain',
    'qr_codes.explain',
    'webhooks.replay',
  ]);
});
