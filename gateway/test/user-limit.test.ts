import { Edge, type EdgeGateway } from './edge.js';

const LIMIT = 5;

let edge: Edge;
let gateway: EdgeGateway;
beforeAll(async () => {
  edge = await Edge.start({ API_WORKSPACE_REQUESTS_PER_MINUTE: String(LIMIT) });
  gateway = await edge.startGateway();
});
afterAll(() => edge.stop());

const get = (path: string, token: string) =>
  fetch(`${gateway.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });

test('limits the requests of a user to routes without a workspace, apart from those in a workspace', async () => {
  const token = await edge.addMember('acme', 'ada');
  const sent: Response[] = [];
  for (let index = 0; index <= LIMIT; index += 1) {
    sent.push(await get(index % 2 === 0 ? '/user' : '/workspaces', token));
  }
  expect(sent.map(({ status }) => status)).toEqual([...Array<number>(LIMIT).fill(200), 429]);
  const refused = sent.at(-1)!;
  expect(refused.headers.get('ratelimit-policy')).toBe(`"user";q=${LIMIT};w=60`);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);

  expect((await get('/workspaces/acme/links', token)).status).toBe(200);
  const other = await edge.addMember('acme', 'bob');
  expect((await get('/user', other)).status).toBe(200);
});
