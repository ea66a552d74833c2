import { bulkResults } from '@waymark/contract/bulk-changes';
import type { Role } from '@waymark/contract/roles';
import { runWithShortTurns } from '@waymark/testing/event-loop';
import { waitFor, waitForCount } from '@waymark/testing/wait-for';
import { noisyLogo } from './logos.js';
import { refused, Stack, type CallOptions } from './stack.js';

let stack: Stack;
let qr: Stack;
beforeAll(async () => {
  [stack, qr] = await Promise.all([Stack.start(), Stack.start('qr')]);
});
afterAll(() => Promise.all([stack.stop(), qr.stop()]));

const bulk = (body: object, options: CallOptions = {}) => stack.call('POST', '/links/bulk', { ...options, body });
const named = async (path: string, name: string, workspace: string): Promise<string> =>
  (await stack.patiently('POST', path, { workspace, body: { name } })).body.data.id as string;

const TAGS_OF_A_LINK_MAX = 50;
/** CPU time: other visitors wait for so long at most. */
const TURN_MS_MAX = 50;

/** A workspace with links in many states, which are named by their titles. */
class Place {
  readonly ids: Record<string, string> = {};
  folder = '';
  tags: string[] = [];

  constructor(readonly workspace: string) {}

  static async make(workspace: string, tagCount: number): Promise<Place> {
    const place = new Place(workspace);
    place.folder = await named('/folders', 'F', workspace);
    const tagNames = Array.from({ length: tagCount }, (_, index) => `T${index}`);
    place.tags = await Promise.all(tagNames.map((name) => named('/tags', name, workspace)));
    const fields: Record<string, object> = {
      plain: {},
      archived: { status: 'archived' },
      'archived too': { status: 'archived' },
      filed: { folder_id: place.folder, tag_ids: place.tags.slice(0, 2) },
      full: { tag_ids: place.tags.slice(0, TAGS_OF_A_LINK_MAX) },
    };
    for (const [title, given] of Object.entries(fields)) {
      place.ids[title] = (await stack.create({ title, ...given }, { workspace })).id as string;
    }
    place.ids['unknown'] = 'lnk_unknown';
    place.ids['foreign'] = (await stack.create({}, { workspace: `${workspace}-other` })).id as string;
    return place;
  }

  /** Everything that a client sees of the links, without ids and times. */
  async seen(): Promise<object[]> {
    const { data } = await stack.list('sort=title&per_page=100', { workspace: this.workspace });
    const isFiled = ({ folder_id }: { folder_id: string | null }) => folder_id === this.folder;
    return data.map((link: any) => ({
      ...{ title: link.title, status: link.status, isArchived: link.archived_at !== null, isFiled: isFiled(link) },
      tags: link.tags.map(({ name }: { name: string }) => name).sort(),
    }));
  }

  async counted(): Promise<object> {
    const { workspace } = this;
    const folders = await stack.call('GET', '/folders', { workspace });
    const tags = await stack.call('GET', '/tags', { workspace });
    const countOf = ({ name, links_count }: { name: string; links_count: number }) => [name, links_count];
    const quotas = await stack.database
      .collection('quotas')
      .find({ _id: { $regex: `^${workspace}/(active_|archived_)?links$` } } as object)
      .sort({ _id: 1 })
      .toArray();
    return {
      folders: folders.body.data.map(countOf),
      tags: tags.body.data.map(countOf).sort(),
      quotas: quotas.map(({ used }) => used as number),
    };
  }

  /** Waits for the event of a later change. */
  async allTold(): Promise<void> {
    const { id } = await stack.create({}, { workspace: this.workspace });
    await waitFor('the events', () => stack.toldOf(id as string).length === 1);
  }

  /** The events of the links after their creation: type, audited changes, and revision. */
  events(): unknown[] {
    const titles = new Map(Object.entries(this.ids).map(([title, id]) => [id, title]));
    const withoutIds = (changes: object) =>
      JSON.parse(JSON.stringify(changes).replace(/\b(tag|fld)_\w+/g, (id) => this.nameOf(id))) as unknown;
    return stack.told
      .filter(({ workspace, data }) => workspace === this.workspace && titles.has(data.link?.id as string))
      .filter(({ data }) => data.link.revision > 1)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ type, audit, actor, data }) => {
        const { short_code: _code, ...changes } = audit!.changes;
        return [titles.get(data.link.id as string), type, withoutIds(changes), actor.id, data.link.revision];
      });
  }

  private nameOf(id: string): string {
    return id === this.folder ? 'F' : `T${this.tags.indexOf(id)}`;
  }
}

/** Sends the ids one after the other to the route for one link. @returns what a bulk change should answer */
async function oneByOne(place: Place, body: any, options: CallOptions): Promise<object[]> {
  const results: object[] = [];
  for (const id of body.ids as string[]) {
    const { status, body: answer } = await single(id, body, options);
    const error = answer?.error as object | undefined;
    results.push(withTitle(place, { id, status, ...(error && { error }) }));
  }
  return results;
}

async function single(id: string, { action, folder_id, tag_ids }: any, options: CallOptions) {
  if (action === 'delete') return stack.call('DELETE', `/links/${id}`, options);
  const shown = await stack.call('GET', `/links/${id}`, options);
  const tags: string[] = (shown.body.data?.tags ?? []).map((tag: { id: string }) => tag.id);
  const fields = {
    archive: { status: 'archived' },
    reactivate: { status: 'active' },
    move: { folder_id },
    add_tags: { tag_ids: [...new Set([...tags, ...(tag_ids ?? [])])] },
    remove_tags: { tag_ids: tags.filter((tag) => !tag_ids?.includes(tag)) },
  }[action as 'archive'];
  return stack.call('PATCH', `/links/${id}`, { ...options, body: fields });
}

/** The result with the title of its link in place of the id, also in messages. */
function withTitle<T extends { id: string }>(place: Place, result: T): T {
  const [title] = Object.entries(place.ids).find(([, id]) => id === result.id)!;
  return JSON.parse(JSON.stringify(result).replaceAll(result.id, title)) as T;
}

const EVERY = ['plain', 'foreign', 'archived', 'filed', 'plain', 'unknown', 'full', 'archived too', 'filed'];
let places = 0;

test.each<[string, (place: Place) => object, number | null]>([
  ['archive', () => ({}), null],
  ['reactivate', () => ({}), null],
  ['reactivate', () => ({}), 4],
  ['reactivate', () => ({}), 2],
  ['delete', () => ({}), null],
  ['move', ({ folder }) => ({ folder_id: folder }), null],
  ['move', () => ({ folder_id: null }), null],
  ['add_tags', ({ tags }) => ({ tag_ids: [tags[1], tags[50], tags[1]] }), null],
  ['add_tags', ({ tags }) => ({ tag_ids: [tags[0]] }), null],
  ['remove_tags', ({ tags }) => ({ tag_ids: [tags[1], tags[50]] }), null],
])(
  'the action %s answers, changes, counts and publishes what single requests in the same order do (%#)',
  async (action, fieldsOf, activeLinks) => {
    const number = (places += 1);
    const tagCount = action.endsWith('_tags') ? TAGS_OF_A_LINK_MAX + 1 : 3;
    const [many, one] = await Promise.all([
      Place.make(`many-${number}`, tagCount),
      Place.make(`one-${number}`, tagCount),
    ]);
    const bodyOf = (place: Place) => ({ ids: EVERY.map((title) => place.ids[title]!), action, ...fieldsOf(place) });
    const answer = await bulk(bodyOf(many), { workspace: many.workspace, activeLinks });
    const expected = await oneByOne(one, bodyOf(one), { workspace: one.workspace, activeLinks });

    expect(answer.status).toBe(200);
    expect(bulkResults.strict().parse(answer.body)).toEqual(answer.body);
    const { data } = answer.body as { data: { id: string }[] };
    expect(data.map((result) => withTitle(many, result))).toEqual(expected);
    expect(await many.seen()).toEqual(await one.seen());
    expect(await many.counted()).toEqual(await one.counted());
    await many.allTold();
    await one.allTold();
    expect(many.events()).toEqual(one.events());
  },
);

test('the answer is repeated for the same Idempotency-Key, and nothing changes again', async () => {
  const link = await stack.create({}, { workspace: 'keyed' });
  const options = { workspace: 'keyed', headers: { 'idempotency-key': 'once' } };
  const body = { ids: [link.id], action: 'delete' };
  const first = await bulk(body, options);
  expect(first.body).toEqual({ data: [{ id: link.id, status: 204 }] });
  const again = await bulk(body, options);
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
  expect((await bulk({ ...body, action: 'archive' }, options)).status).toBe(409);
  expect((await bulk(body, { workspace: 'keyed' })).body.data[0].status).toBe(404);
});

test('of two bulk changes with one key at once, one takes effect', async () => {
  const link = await stack.create({}, { workspace: 'twins' });
  const options = { workspace: 'twins', headers: { 'idempotency-key': 'twin' } };
  const answers = await Promise.all([1, 2, 3].map(() => bulk({ ids: [link.id], action: 'delete' }, options)));
  const done = answers.filter(({ status }) => status === 200);
  expect(done.length).toBeGreaterThan(0);
  for (const { body } of done) expect(body.data).toEqual([{ id: link.id, status: 204 }]);
  for (const { status } of answers) expect([200, 409]).toContain(status);
});

describe('a request', () => {
  const ids = ['lnk_1'];
  test.each<[string, object, string[]]>([
    ['without ids', { action: 'archive' }, ['ids']],
    ['with no id', { ids: [], action: 'archive' }, ['ids']],
    ['with 101 ids', { ids: Array.from({ length: 101 }, (_, index) => `lnk_${index}`), action: 'archive' }, ['ids']],
    ['with something that is no id', { ids: ['lnk_1', { $ne: 1 }, 'a b'], action: 'archive' }, ['ids.1', 'ids.2']],
    ['without an action', { ids }, ['action']],
    ['with an unknown action', { ids, action: 'set_expiry' }, ['action']],
    ['to move without a folder', { ids, action: 'move' }, ['folder_id']],
    ['to move into a folder that does not exist', { ids, action: 'move', folder_id: 'fld_none' }, ['folder_id']],
    ['to add no tags', { ids, action: 'add_tags', tag_ids: [] }, ['tag_ids']],
    ['to remove no tags', { ids, action: 'remove_tags' }, ['tag_ids']],
    ['to add a tag that does not exist', { ids, action: 'add_tags', tag_ids: ['tag_none'] }, ['tag_ids']],
    [
      'to archive into a folder',
      { ids, action: 'archive', folder_id: 'fld_1', tag_ids: ['tag_1'] },
      ['folder_id', 'tag_ids'],
    ],
    ['with an unknown field', { ids, action: 'archive', folder: 'x' }, ['folder']],
  ])('%s is a 422 that names its fields', async (_what, body, fields) => {
    const answer = await bulk(body);
    expect([answer.status, refused(answer)]).toEqual([422, fields]);
  });

  test('of an editor changes links, but deletes none', async () => {
    const link = await stack.create({}, { workspace: 'editors' });
    const as = (role: Role, action: string) => bulk({ ids: [link.id], action }, { workspace: 'editors', role });
    expect((await as('editor', 'archive')).body.data[0].status).toBe(200);
    expect((await as('viewer', 'archive')).status).toBe(403);
    for (const role of ['editor', 'admin'] as const) {
      const refusal = await as(role, 'delete');
      const singly = await stack.call('DELETE', `/links/${link.id}`, { workspace: 'editors', role });
      expect([refusal.status, refusal.body]).toEqual([403, singly.body]);
    }
    expect((await as('owner', 'delete')).body.data[0].status).toBe(204);
  });
});

test('a hundred QR codes with large logos change together, each with its event', async () => {
  const logo = await noisyLogo();
  const workspace = 'posters';
  const ids: string[] = [];
  for (let index = 0; index < 100; index += 1) {
    ids.push((await qr.create({ title: `P${index}`, style: { logo_url: logo } }, { workspace })).id as string);
  }
  for (const [action, status, verb] of [
    ['archive', 200, 'archived'],
    ['delete', 204, 'deleted'],
  ] as const) {
    const { body } = await qr.call('POST', '/qr-codes/bulk', { workspace, body: { ids, action } });
    expect(body.data).toEqual(ids.map((id) => ({ id, status })));
    const published = () =>
      qr.told.filter((event) => event.workspace === workspace && event.type === `qr_code.${verb}`);
    await waitForCount('the events', 100, () => published().length);
    expect(published()).toHaveLength(100);
    expect(new Set(published().map(({ data }) => data.link.id as string))).toEqual(new Set(ids));
  }
  expect((await qr.list('', { workspace })).meta.total).toBe(0);
});

test('changing 100 QR codes with large logos at once leaves the event loop free for others', async () => {
  const logo = await noisyLogo();
  const workspace = 'turns';
  const ids: string[] = [];
  for (let index = 0; index < 100; index += 1) {
    ids.push((await qr.create({ title: `P${index}`, style: { logo_url: logo } }, { workspace })).id as string);
  }
  const change = (run: number) => {
    const action = run % 2 === 0 ? 'archive' : 'reactivate';
    return qr.call('POST', '/qr-codes/bulk', { workspace, body: { ids, action } });
  };
  const { body } = await runWithShortTurns(change, { runs: 4, limitMs: () => TURN_MS_MAX });
  expect(body.data).toEqual(ids.map((id) => ({ id, status: 200 })));
});

test('QR codes are moved to no folder and have no tags', async () => {
  for (const action of ['move', 'add_tags', 'remove_tags']) {
    const answer = await qr.call('POST', '/qr-codes/bulk', { body: { ids: ['qr_1'], action } });
    expect([answer.status, refused(answer)]).toEqual([422, ['action']]);
  }
});
