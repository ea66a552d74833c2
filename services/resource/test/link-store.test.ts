import mongoose, { type mongo } from 'mongoose';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { DomainStore } from '@waymark/resource/domains/domain-store';
import { CONTENT_TYPES } from '@waymark/resource/links/content-type';
import { NO_UTM, withDerivedFields, type Link } from '@waymark/resource/links/link';
import { LinkStore } from '@waymark/resource/links/link-store';
import { listLinks, readAllLinks } from '@waymark/resource/links/list-links';
import { createStatusCounts } from '@waymark/resource/links/status-counts';
import { openOrganizeStores } from '@waymark/resource/organize/stores';

const WORKSPACE = 'acme';
const FIRST_PAGE = { page: 1, per_page: 100, cursor: undefined };
const CREATED_AT = new Date('2026-01-01T00:00:00Z');

const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
const uri = new URL(freshBacking().MONGODB_URI);
uri.searchParams.set('monitorCommands', 'true');
const db = new Database(uri.href, { log, lifecycle });
const links = new LinkStore(db);
const contentType = CONTENT_TYPES.links;
const ctx = {
  ...{ links, contentType },
  ...openOrganizeStores(db),
  domains: new DomainStore(db),
  counts: createStatusCounts({ db, contentType, links }, 1000),
  lists: new KeyedLimit({ total: 12, perKey: 3 }),
  exportBatches: new KeyedLimit({ total: 4, perKey: 2 }),
};

/** The commands on links that were sent, each with its name. */
const commands: { name: string; command: mongo.Document }[] = [];
const rows = () => db.connection.collection<Link>('links');

beforeAll(async () => {
  await db.start();
  db.connection.getClient().on('commandStarted', ({ commandName: name, command }) => {
    if (command[name] === 'links') commands.push({ name, command });
  });
});
beforeEach(async () => {
  await rows().deleteMany({});
  commands.length = 0;
});
afterAll(() => lifecycle.stop());

const sent = (name: string) => commands.filter((each) => each.name === name).map(({ command }) => command);

function linkOf(index: number, fields: Partial<Link> = {}): Link {
  const suffix = String(index).padStart(3, '0');
  return withDerivedFields({
    _id: `lnk_${suffix}`,
    workspace: WORKSPACE,
    domainId: null,
    hostname: null,
    shortCode: `Code${suffix}`,
    formerCodes: [{ hostname: null, shortCode: `Former${suffix}` }],
    codeKeys: [],
    title: `Title ${suffix}`,
    destinationUrl: 'https://example.com/',
    campaignTag: null,
    utmDefaults: NO_UTM,
    folderId: null,
    tagIds: [],
    style: null,
    status: 'active',
    scansCount: 0,
    lastScannedAt: null,
    createdBy: 'usr_1',
    archivedAt: null,
    createdAt: new Date(CREATED_AT.getTime() + index),
    updatedAt: CREATED_AT,
    revision: 1,
    titleKey: '',
    words: [],
    ...fields,
  });
}

async function insert(...stored: Link[]): Promise<Link[]> {
  await rows().insertMany(structuredClone(stored) as never[]);
  commands.length = 0;
  return stored;
}
const stored = (id: string) => rows().findOne({ _id: id } as object);

describe('a change of links', () => {
  const update = (changes: { before: Link; after: Link }[]) =>
    db.transaction(({ session }) => links.updateLinks(changes, session));

  test('stores every editable field with its type, and adds none', async () => {
    const [before] = (await insert(linkOf(1))) as [Link];
    const after = withDerivedFields({
      ...before,
      domainId: 'dom_1',
      hostname: 'go.acme.com',
      shortCode: 'New',
      formerCodes: [...before.formerCodes, { hostname: null, shortCode: before.shortCode }],
      title: null,
      destinationUrl: 'https://example.com/new',
      campaignTag: 'spring',
      utmDefaults: { ...NO_UTM, utm_source: 'mail' },
      folderId: 'fld_1',
      tagIds: ['tag_2', 'tag_1'],
      style: { foreground: '#000000' } as never,
      status: 'archived',
      archivedAt: new Date('2026-02-02T00:00:00Z'),
      updatedAt: new Date('2026-02-02T00:00:00Z'),
      revision: 2,
    });
    expect(await update([{ before, after }])).toBe('stored');
    expect(await stored(before._id)).toStrictEqual(after);
    const withPolicy: Link = { ...after, queryPolicy: 'destination_wins' as never, revision: 3 };
    expect(await update([{ before: after, after: withPolicy }])).toBe('stored');
    expect(await stored(before._id)).toStrictEqual(withPolicy);
  });

  test('leaves the scans that were counted meanwhile, the creator and the time of the creation', async () => {
    const [before] = (await insert(linkOf(1))) as [Link];
    const scan = { scans: 5, lastScannedAt: new Date('2026-03-03T00:00:00Z') };
    await db.transaction(({ session }) => links.addScans(new Map([[before._id, scan]]), session));
    const after = { ...before, revision: 2, createdBy: 'usr_2', createdAt: new Date(0), scansCount: 1 };
    expect(await update([{ before, after }])).toBe('stored');
    const { createdBy, createdAt } = before;
    const expected = { revision: 2, createdBy, createdAt, scansCount: 5, lastScannedAt: scan.lastScannedAt };
    expect(await stored(before._id)).toMatchObject(expected);
  });

  test('changes nothing when the revision of one link is not the stored one, or the link is in another workspace', async () => {
    const [first, second, other] = await insert(linkOf(1), linkOf(2), linkOf(3, { workspace: 'globex' }));
    const changed = (before: Link) => ({ before, after: { ...before, title: 'changed', revision: 2 } });
    expect(await update([changed({ ...first!, revision: 7 })])).toBe('changed_meanwhile');
    expect(await update([changed({ ...other!, workspace: WORKSPACE })])).toBe('changed_meanwhile');
    expect(await rows().countDocuments({ title: 'changed' })).toBe(0);
    expect(await update([changed(first!), changed(second!)])).toBe('stored');
  });

  test('reports a code that another link has', async () => {
    const [first, second] = await insert(linkOf(1), linkOf(2));
    const after = withDerivedFields({ ...first!, shortCode: second!.shortCode, revision: 2 });
    const outcome = await db
      .transaction(async ({ session }) => {
        // Thrown, since MongoDB has aborted the transaction.
        throw new Error(await links.updateLinks([{ before: first!, after }], session));
      })
      .catch((error: Error) => error.message);
    expect(outcome).toBe('short_code_taken');
  });

  test('is one command with the links in the order of their ids', async () => {
    const before = await insert(...[3, 1, 2].map((index) => linkOf(index)));
    expect(await update(before.map((each) => ({ before: each, after: { ...each, revision: 2 } })))).toBe('stored');
    const [command, ...others] = sent('update');
    expect(others).toEqual([]);
    expect(command).toMatchObject({ ordered: true });
    expect(command!['updates'].map(({ q }: mongo.Document) => q['_id'])).toEqual(['lnk_001', 'lnk_002', 'lnk_003']);
  });

  test('does not cast each former code', async () => {
    const formerCodes = Array.from({ length: 100 }, (_, code) => ({ hostname: null, shortCode: `former${code}` }));
    const before = (await insert(linkOf(1, { formerCodes }))) as [Link];
    const castText = mongoose.Schema.Types.String.cast() as (value: unknown) => unknown;
    let castCount = 0;
    mongoose.Schema.Types.String.cast((value: unknown) => {
      castCount += 1;
      return castText(value) as string;
    });
    try {
      expect(await update([{ before: before[0], after: { ...before[0], revision: 2 } }])).toBe('stored');
      expect(castCount).toBeLessThan(formerCodes.length);
    } finally {
      mongoose.Schema.Types.String.cast(castText);
    }
  });
});

describe('a list of links', () => {
  const LARGE_FIELDS = ['formerCodes', 'codeKeys', 'words'];
  const INDEXED = { sort: '-created_at' } as const;
  const SORTED = { sort: 'title', status: 'active', search: 'title' } as const;

  test.each([
    ['in the order of an index', INDEXED],
    ['sorted by the service', SORTED],
  ])('that is read %s does not load the fields that it does not show', async (_order, filters) => {
    const known = await insert(...Array.from({ length: 7 }, (_, index) => linkOf(index)));
    const { items } = await listLinks(ctx, { workspace: WORKSPACE }, { ...filters, ...FIRST_PAGE });
    const shown = Object.keys(known[0]!).filter((name) => !LARGE_FIELDS.includes(name));
    expect(items).toHaveLength(7);
    for (const { link } of items) expect(Object.keys(link).sort()).toEqual(shown.sort());
  });

  test.each([
    ['in the order of an index', INDEXED],
    ['sorted by the service', SORTED],
  ])('that is exported %s is read fifty at a time, without the fields that it does not show', async (_, filters) => {
    await insert(...Array.from({ length: 120 }, (_each, index) => linkOf(index)));
    const batches: string[][] = [];
    const present = ({ link }: { link: object }) => Object.keys(link).filter((name) => LARGE_FIELDS.includes(name));
    const loaded: string[] = [];
    for await (const batch of readAllLinks(ctx, { workspace: WORKSPACE, filters }, (tagged) => {
      loaded.push(...present(tagged));
      return tagged.link._id;
    }))
      batches.push(batch);
    expect(batches.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(new Set(batches.flat()).size).toBe(120);
    expect(loaded).toEqual([]);
  });
});

describe('links by their codes', () => {
  test('are read fifty codes at a time, each link once', async () => {
    await insert(...Array.from({ length: 130 }, (_, index) => linkOf(index)), linkOf(500, { workspace: 'globex' }));
    const codes = Array.from({ length: 130 }, (_, index) => `CODE${String(index).padStart(3, '0')}`);
    const found = await links.findByCodes(WORKSPACE, [...codes, 'former000', 'former129', 'unknown', 'code500']);
    expect(found.map(({ _id }) => _id).sort()).toEqual(codes.map((_, index) => linkOf(index)._id));
    expect(found[0]!.formerCodes).toHaveLength(1);
    const lengths = sent('find').map(({ filter }) => filter.codeKeys.$in.length as number);
    expect(lengths).toEqual([50, 50, 34]);
  });

  test('are not read when there are no codes', async () => {
    expect(await links.findByCodes(WORKSPACE, [])).toEqual([]);
    expect(commands).toEqual([]);
  });
});

describe('links of a deleted folder or tag', () => {
  const isIn = {
    folder: { from: { folderId: 'fld_1' }, fields: { folderId: 'fld_1', tagIds: ['tag_2'] }, left: { folderId: null } },
    tag: {
      from: { tagId: 'tag_1' },
      fields: { folderId: 'fld_2', tagIds: ['tag_2', 'tag_1', 'tag_3'] },
      left: { tagIds: ['tag_2', 'tag_3'] },
    },
  } as const;

  test.each(['folder', 'tag'] as const)('lose the %s and nothing else, and count as changed', async (kind) => {
    const { from, fields, left } = isIn[kind];
    const [link, other] = await insert(
      linkOf(1, { ...fields, tagIds: [...fields.tagIds] }),
      linkOf(2, { folderId: 'fld_3', tagIds: ['tag_4'] }),
      linkOf(3, { workspace: 'globex', ...fields, tagIds: [...fields.tagIds] }),
    );
    expect(await links.detachLinks(WORKSPACE, from, 1000)).toBe(1);
    const after = (await stored(link!._id))!;
    expect(after).toEqual({ ...link!, ...left, updatedAt: after.updatedAt });
    expect(after.updatedAt.getTime()).toBeGreaterThan(link!.updatedAt.getTime());
    expect(await stored(other!._id)).toEqual(other);
    expect(await stored('lnk_003')).toMatchObject(fields);
    expect(await links.detachLinks(WORKSPACE, from, 1000)).toBe(0);
  });

  test.each(['folder', 'tag'] as const)(
    'leave the %s a limited number at a time, in the order of their ids',
    async (kind) => {
      const { from, fields } = isIn[kind];
      await insert(...[5, 3, 1, 4, 2].map((index) => linkOf(index, { ...fields, tagIds: [...fields.tagIds] })));
      expect([
        await links.detachLinks(WORKSPACE, from, 2),
        await links.detachLinks(WORKSPACE, from, 2),
        await links.detachLinks(WORKSPACE, from, 2),
      ]).toEqual([2, 2, 1]);
      const updates = sent('update').map((command) => command['updates'] as mongo.Document[]);
      expect(updates.map(({ length }) => length)).toEqual([2, 2, 1]);
      const idsOf = (batch: mongo.Document[]) => batch.map(({ q }) => q['_id'] as string);
      for (const batch of updates) expect(idsOf(batch)).toEqual(idsOf(batch).sort());
      // A link that has just been moved elsewhere keeps its new folder and tags.
      for (const { q, multi } of updates.flat()) {
        expect([q, multi ?? false]).toEqual([{ _id: q['_id'], workspace: WORKSPACE, ...(kind === 'folder' ? from : { tagIds: 'tag_1' }) }, false]); // prettier-ignore
      }
    },
  );
});
