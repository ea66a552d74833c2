import { setTimeout as after } from 'node:timers/promises';
import fc from 'fast-check';
import { workspaceDeleted } from '@waymark/contract/erasures';
import { scanReclassified } from '@waymark/contract/events';
import { resolveCode } from '@waymark/contract/requests';
import { waitFor } from '@waymark/testing/wait-for';
import { Stack, refused } from './stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('links', 2);
});
afterAll(() => stack.stop());

const patch = (id: string, body: object, workspace = 'acme') =>
  stack.call('PATCH', `/links/${id}`, { body, workspace });
const create = (short_code: unknown, workspace = 'acme', process = 0) =>
  stack.patiently('POST', '/links', {
    body: { destination_url: 'https://example.com', short_code },
    workspace,
    process,
  });
/** Resolves a code as the redirect does for one that it does not know. */
const resolve = async (short_code: string, hostname: string | null = null) =>
  (await stack.requester.ask(resolveCode, { hostname, short_code }, 10_000)).target?.link.id ?? null;
const counted = (id: string, scans: number) =>
  waitFor('the count', async () => (await stack.call('GET', `/links/${id}`)).body.data.scans_count === scans);

describe('a short code', () => {
  test.each([['q'], ['API'], ['Docs'], ['admin'], ['healthz'], ['a b'], ['a/b'], ['ü'], [''], ['x'.repeat(65)], [7]])(
    '%p is refused by name',
    async (code) => {
      const answer = await create(code);
      expect([answer.status, refused(answer)]).toEqual([422, ['short_code']]);
    },
  );

  test('of 1 and of 64 characters is accepted as it was written', async () => {
    for (const code of ['z', 'A-_9'.repeat(16)]) expect((await create(code)).body.data.short_code).toBe(code);
  });

  test('that is generated has no look-alikes and is never one that is taken', async () => {
    const links = await Promise.all(Array.from({ length: 50 }, () => stack.create()));
    const codes = links.map(({ short_code }) => short_code as string);
    expect(new Set(codes).size).toBe(50);
    for (const code of codes) expect(code).toMatch(/^[2-9a-hjkmnp-z]{9}$/);
  });

  test('goes to one of many who want it at once, over two processes and two workspaces', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => create('Wanted', i % 3 ? 'acme' : 'globex', i % 2)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect([answer.status, refused(answer)]).toEqual([422, ['short_code']]);
  });
});

describe('a link that has never been scanned', () => {
  test('gets another code, and is found by the former one too', async () => {
    const link = await stack.create({ short_code: 'first' });
    expect((await patch(link.id, { short_code: 'second' })).body.data.short_code).toBe('second');
    expect([await resolve('FIRST'), await resolve('second')]).toEqual([link.id, link.id]);
    await waitFor('the event', () => stack.toldOf(link.id).length === 2);
    expect(stack.toldOf(link.id).at(-1)!.data.link.former_codes).toEqual([{ hostname: null, short_code: 'first' }]);
  });

  test('goes back to a code that it had', async () => {
    const link = await stack.create({ short_code: 'there' });
    await patch(link.id, { short_code: 'away' });
    expect((await patch(link.id, { short_code: 'There' })).body.data.short_code).toBe('There');
    expect([await resolve('there'), await resolve('away')]).toEqual([link.id, link.id]);
  });

  test.each([['acme'], ['globex']])(
    'keeps its former code from any other link of %s, on any host',
    async (workspace) => {
      const code = `kept-from-${workspace}`;
      const first = await stack.create({ short_code: code });
      const second = await stack.create({}, { workspace });
      await patch(first.id, { short_code: `${code}-2` });
      const answers = [
        await create(code.toUpperCase(), workspace),
        await patch(second.id, { short_code: code }, workspace),
      ];
      for (const answer of answers) expect([answer.status, refused(answer)]).toEqual([422, ['short_code']]);
      expect([await resolve(code), await resolve(`${code}-2`)]).toEqual([first.id, first.id]);
    },
  );

  test('has a former code that differs from a taken one, on every host of its workspace', async () => {
    const domain = await stack.verifiedDomain('earlier.acme.com');
    const link = await stack.create({ short_code: 'earlier' });
    await patch(link.id, { short_code: 'later' });
    const messages = async (short_code: string, domain_id: string | null) => {
      const body = { destination_url: 'https://example.com', short_code, domain_id };
      return (await stack.call('POST', '/links', { body })).body.error.details.short_code;
    };
    for (const domain_id of [null, domain.id]) {
      expect(await messages('Earlier', domain_id)).toEqual(['The short_code is an earlier code of another link.']);
      expect(await messages('Later', domain_id)).toEqual(['The short_code is already taken.']);
    }
    const back = await patch(link.id, { short_code: 'earlier', domain_id: domain.id });
    expect([back.status, back.body.data?.short_url]).toEqual([200, 'https://earlier.acme.com/earlier']);
  });

  test('releases a code in one process that no other link gets in another, on any host', async () => {
    const domain = await stack.verifiedDomain('races.acme.com');
    for (let i = 0; i < 30; i += 1) {
      const [code, destination_url] = [`race-${i}`, 'https://example.com'];
      const link = await stack.create({ short_code: code });
      const other = await stack.create({});
      const body = { short_code: code, domain_id: domain.id };
      const [renamed, ...taken] = await Promise.all([
        patch(link.id, { short_code: `raced-${i}` }),
        after(i / 3).then(() => stack.call('POST', '/links', { body: { ...body, destination_url }, process: 1 })),
        after(i / 4).then(() => stack.call('PATCH', `/links/${other.id}`, { body, process: 1 })),
      ]);
      expect(renamed.status).toBe(200);
      for (const answer of taken) expect([answer.status, refused(answer)]).toEqual([422, ['short_code']]);
    }
  });

  test('does not swap codes with another', async () => {
    const [one, other] = [await stack.create({ short_code: 'swap-1' }), await stack.create({ short_code: 'swap-2' })];
    expect((await patch(one.id, { short_code: 'swap-3' })).status).toBe(200);
    expect(refused(await patch(other.id, { short_code: 'swap-1' }))).toEqual(['short_code']);
    expect(await resolve('swap-1')).toBe(one.id);
  });

  test('is renamed a hundred times, and not once more', async () => {
    const link = await stack.create({ short_code: 'often' }, { workspace: 'often' });
    for (let i = 0; i < 100; i += 1) {
      expect((await patch(link.id, { short_code: `often-${i}` }, 'often')).status).toBe(200);
    }
    const answer = await patch(link.id, { short_code: 'often-100' }, 'often');
    expect([answer.status, refused(answer)]).toEqual([422, ['short_code']]);
    expect((await patch(link.id, { short_code: 'often-5' }, 'often')).status).toBe(200);
    const domain = await stack.verifiedDomain('often.acme.com', 'often');
    expect(refused(await patch(link.id, { domain_id: domain.id }, 'often'))).toEqual(['domain_id']);
  });
});

describe('a link that has been scanned', () => {
  test('keeps its code', async () => {
    const link = await stack.create({ short_code: 'frozen' });
    await stack.scan(link);
    await counted(link.id, 1);
    const answer = await patch(link.id, { short_code: 'melted', title: 'T' });
    expect([answer.status, refused(answer)]).toEqual([422, ['short_code']]);
    expect((await patch(link.id, { short_code: 'frozen', title: 'T' })).status).toBe(200);
  });

  test('keeps a code that was changed between the first scan and its count', async () => {
    const link = await stack.create({ short_code: 'printed' });
    await patch(link.id, { short_code: 'other' });
    // The scan was before the change; its event arrives after it.
    await stack.scan(link);
    await counted(link.id, 1);
    expect(await resolve('printed')).toBe(link.id);
    expect((await create('printed')).status).toBe(422);
    expect(await resolve('printed')).toBe(link.id);
  });

  test('releases every code to its workspace when it is deleted', async () => {
    const link = await stack.create({ short_code: 'gone' });
    await patch(link.id, { short_code: 'gone-2' });
    await stack.scan(link);
    await counted(link.id, 1);
    await stack.call('DELETE', `/links/${link.id}`);
    for (const code of ['gone', 'gone-2']) {
      expect(await resolve(code)).toBeNull();
      expect((await create(code, 'globex')).status).toBe(422);
      expect((await create(code)).status).toBe(201);
    }
  });
});

test('each scan counts once for any number of deliveries, and the last one is the latest', async () => {
  const link = await stack.create();
  const [early, late] = [new Date('2026-01-01T00:00:00.000Z'), new Date('2026-01-02T00:00:00.000Z')];
  await stack.scan(link, late, 'evt_twice');
  await stack.scan(link, late, 'evt_twice');
  await stack.scan(link, early);
  await counted(link.id, 2);
  const { body } = await stack.call('GET', `/links/${link.id}`);
  expect(body.data).toMatchObject({ scans_count: 2, last_scanned_at: late.toISOString() });
  expect(body.data.updated_at).toBe(link.updated_at);
});

test('scans that are classified again are counted differently once', async () => {
  const [human, bot] = [await stack.create(), await stack.create()];
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  for (const link of [human, bot, bot]) await stack.scan(link, new Date(early));
  await counted(bot.id, 2);
  const links = [
    { id: human.id, scans_difference: 3, last_scanned_at: late },
    { id: bot.id, scans_difference: -1, last_scanned_at: null },
  ];
  const event = scanReclassified.create({ workspace: 'acme' }, { links });
  await stack.publish(event);
  await stack.publish(event);
  await stack.scan(human, new Date(early));
  await counted(human.id, 5);
  const { body } = await stack.call('GET', `/links/${human.id}`);
  expect(body.data).toMatchObject({ scans_count: 5, last_scanned_at: late });
  const { body: other } = await stack.call('GET', `/links/${bot.id}`);
  expect(other.data).toMatchObject({ scans_count: 1, last_scanned_at: early });
});

test('every code that a link has had leads to it alone while it lives, after any operations', async () => {
  const code = fc.constantFrom('r1', 'r2', 'r3', 'R1');
  const command = fc.oneof(
    fc.record({ do: fc.constant('create' as const), code, workspace: fc.constantFrom('w1', 'w2') }),
    fc.record({ do: fc.constant('rename' as const), code, which: fc.nat(5) }),
    fc.record({ do: fc.constant('delete' as const), code, which: fc.nat(5) }),
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 15 }), async (commands) => {
      run += 1;
      const nameInRun = (name: string) => `${name}-${run}`;
      const alive = new Map<string, string>();
      const had = new Map<string, string>();
      const owners = new Map<string, string>();
      for (const step of commands) {
        const key = nameInRun(step.code).toLowerCase();
        if (step.do === 'create') {
          const { status, body } = await create(nameInRun(step.code), step.workspace);
          if (owners.has(key))
            expect([status, owners.get(key)]).toEqual([status === 201 ? 201 : 422, status === 201 ? step.workspace : owners.get(key)]); // prettier-ignore
          else expect(status).toBe(201);
          if (status !== 201) continue;
          owners.set(key, step.workspace);
          alive.set(body.data.id as string, step.workspace);
          expect(had.get(key)).toBeUndefined();
          had.set(key, body.data.id as string);
          continue;
        }
        const [id, workspace] = [...alive][step.which] ?? [];
        if (id === undefined) continue;
        if (step.do === 'delete') {
          expect((await stack.call('DELETE', `/links/${id}`, { workspace })).status).toBe(204);
          alive.delete(id);
          for (const [code, link] of [...had]) if (link === id) had.delete(code);
        } else if ((await patch(id, { short_code: nameInRun(step.code) }, workspace)).status === 200) {
          expect(owners.get(key) ?? workspace).toBe(workspace);
          owners.set(key, workspace!);
          expect(had.get(key) ?? id).toBe(id);
          had.set(key, id);
        }
      }
      for (const [code, id] of had) expect(await resolve(code)).toBe(id);
    }),
    { numRuns: 15, endOnFailure: true },
  );
});

test('the redirect learns that the workspace of a code was erased', async () => {
  const { body } = await create('erased-code', 'soon-erased');
  const ask = (short_code: string) => stack.requester.ask(resolveCode, { hostname: null, short_code }, 10_000);
  expect(await ask('erased-code')).toMatchObject({ target: { link: { id: body.data.id } }, is_gone: false });

  await stack.publish(workspaceDeleted.create({ workspace: 'soon-erased' }, { slug: 'soon-erased' }));

  await waitFor('the erasure', async () => (await ask('erased-code')).is_gone);
  expect(await ask('erased-code')).toEqual({ target: null, is_gone: true });
  expect(await ask('never-used')).toEqual({ target: null, is_gone: false });
  expect((await create('erased-code', 'globex')).status).toBe(422);
});
