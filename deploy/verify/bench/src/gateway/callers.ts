import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import mongoose from 'mongoose';
import { abilityName } from '@waymark/contract/roles';
import { newId } from '@waymark/contract/ids';

/** A member of a workspace of their own, with a token. */
export interface Caller {
  workspace: string;
  email: string;
  headers: { authorization: string };
}

const CHUNK = 500;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Users with a workspace and a token each, straight into auth's database: through the API they would take an hour. */
export async function seedCallers(authUri: string, count: number, passwordHash = ''): Promise<Caller[]> {
  const connection = await mongoose.createConnection(authUri).asPromise();
  const callers: Caller[] = [];
  while (callers.length < count) {
    const rows = Array.from({ length: CHUNK }, (_, index) => rowsOf(callers.length + index, passwordHash));
    for (const name of ['users', 'workspaces', 'memberships', 'tokens'] as const) {
      await connection.collection<{ _id: string }>(name).insertMany(rows.map((row) => row[name]));
    }
    callers.push(...rows.map(({ caller }) => caller));
  }
  await connection.close();
  return callers;
}

function rowsOf(index: number, passwordHash: string) {
  const [userId, workspace, token, createdAt] = [newId('usr'), `bench-${index}`, newToken(), new Date()];
  const email = `${workspace}@example.com`;
  return {
    caller: { workspace, email, headers: { authorization: `Bearer ${token}` } },
    users: { _id: userId, name: workspace, email, emailKey: email, passwordHash, createdAt },
    workspaces: { _id: workspace, name: workspace, plan: null, createdAt },
    memberships: { _id: `${workspace}:${userId}`, workspace, userId, role: 'owner', createdAt },
    tokens: {
      _id: newId('tok'),
      hash: createHash('sha256').update(token).digest('base64url'),
      prefix: token.slice(0, 8),
      name: 'bench',
      userId,
      workspace,
      grants: ['read', 'write'],
      abilities: [abilityName(workspace, 'read'), abilityName(workspace, 'write')],
      lastUsedAt: null,
      expiresAt: null,
      createdAt,
    },
  };
}

/** As auth mints them: 40 characters and the base62 of their checksum in 6. */
function newToken(): string {
  const body = `wmk_${Array.from(randomBytes(40), (byte) => BASE62[byte % 62]).join('')}`;
  let checksum = '';
  for (let rest = crc32(body); checksum.length < 6; rest = Math.floor(rest / 62))
    checksum = BASE62[rest % 62]! + checksum;
  return body + checksum;
}
