import type { Document } from 'bson';

export const REPLICA_SET = 'waymark';

/** MongoDB 7.0: all that the drivers ask for, without the bulkWrite command of 8.0. */
const WIRE_VERSION_MAX = 21;
const VERSION = '7.0.0';
const GREETINGS: ReadonlySet<string> = new Set(['hello', 'isMaster', 'ismaster', 'buildInfo', 'buildinfo', 'hostInfo']);

export function isGreeting(name: string): boolean {
  return GREETINGS.has(name);
}

/** A replica set of one, because drivers allow transactions only there. No topologyVersion: drivers then poll. */
export function greeting(name: string, port: number, hasPrimary: boolean): Document {
  if (name === 'hostInfo') return { system: {}, os: {}, extra: {}, ok: 1 };
  if (name.toLowerCase() === 'buildinfo') {
    return { version: VERSION, versionArray: VERSION.split('.').map(Number), gitVersion: 'documentdb', ok: 1 };
  }
  const me = `127.0.0.1:${port}`;
  return {
    helloOk: true,
    isWritablePrimary: hasPrimary,
    ismaster: hasPrimary,
    secondary: !hasPrimary,
    setName: REPLICA_SET,
    setVersion: 1,
    hosts: [me],
    ...(hasPrimary && { primary: me }),
    me,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 25_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId: 1,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION_MAX,
    readOnly: false,
    ok: 1,
  };
}
