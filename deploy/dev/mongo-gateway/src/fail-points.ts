import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize, type Document } from 'bson';
import { collectionOf, specOf, type Command } from './command.js';
import { CommandError } from './errors.js';

/** Closes the client's connection instead of a reply. */
export class ConnectionDropped extends Error {}

interface FailPoint {
  /** Commands that still fail; Infinity for `alwaysOn`. */
  remaining: number;
  failCommands: string[];
  /** `database.collection`; absent, every one. */
  namespace?: string;
  closeConnection?: boolean;
  errorCode?: number;
  errorLabels?: string[];
  writeConcernError?: Document;
  blockConnection?: boolean;
  blockTimeMS?: number;
}

/**
 * MongoDB's fail point `failCommand` (mongod with `enableTestCommands=1`): the next commands fail as configured.
 * A test that uses it runs on a mongod as well. One fail point per namespace.
 */
export class FailPoints {
  private readonly points = new Map<string | undefined, FailPoint>();

  /** `{ configureFailPoint: 'failCommand', mode: 'off' | 'alwaysOn' | { times }, data }` */
  configure(command: Command): void {
    const spec = deserialize(specOf(command));
    if (spec.configureFailPoint !== 'failCommand')
      throw new CommandError({ code: 2, codeName: 'BadValue' }, 'the only fail point is failCommand');
    const data = (spec.data ?? {}) as Omit<FailPoint, 'remaining'>;
    const mode = spec.mode as string | { times: number };
    if (mode === 'off') this.points.delete(data.namespace);
    else this.points.set(data.namespace, { ...data, remaining: typeof mode === 'object' ? mode.times : Infinity });
  }

  /** The reply of `answer`, or the failure in its place. A write concern error comes after the write, as in MongoDB. */
  async apply(command: Command, answer: () => Promise<Buffer>): Promise<Buffer> {
    const point = this.take(command);
    if (!point) return answer();
    if (point.blockConnection) await sleep(point.blockTimeMS ?? 0);
    if (point.closeConnection) throw new ConnectionDropped();
    if (point.errorCode !== undefined) {
      const extra = point.errorLabels && { errorLabels: point.errorLabels };
      throw new CommandError(
        { code: point.errorCode, codeName: 'FailPoint' },
        `failing ${command.name} by the fail point`,
        extra,
      );
    }
    const reply = await answer();
    const { writeConcernError, errorLabels } = point;
    if (!writeConcernError) return reply;
    const document = deserialize(reply, { promoteValues: false });
    return Buffer.from(serialize({ ...document, writeConcernError, ...(errorLabels && { errorLabels }) }));
  }

  private take(command: Command): FailPoint | undefined {
    if (this.points.size === 0) return undefined;
    const namespace = `${command.database}.${collectionOf(command) || command.fields.string('collection')}`;
    const point = this.points.get(namespace) ?? this.points.get(undefined);
    if (!point || !point.failCommands.includes(command.name)) return undefined;
    point.remaining -= 1;
    if (point.remaining === 0) this.points.delete(point.namespace);
    return point;
  }
}
