import mongoose from 'mongoose';
import { backing, PROCESS_NAMES, type ProcessName, type SystemSettings } from '@waymark/launcher/process-table';

export type ServiceName = Exclude<ProcessName, 'gateway'>;
export const SERVICE_NAMES = PROCESS_NAMES.filter((name) => name !== 'gateway');

/** A row whose fields may have any value. */
export interface Row {
  _id?: string | number | object;
  [field: string]: unknown;
}

/** The databases of all services, to change rows that the services would not change. */
export class ServiceDatabases {
  private constructor(private readonly databases: ReadonlyMap<ServiceName, mongoose.Connection>) {}

  static async open(settings: SystemSettings): Promise<ServiceDatabases> {
    const open = async (name: ServiceName) => {
      const uri = backing(settings, name)['MONGODB_URI']!;
      return [name, await mongoose.createConnection(uri, { maxPoolSize: 2 }).asPromise()] as const;
    };
    return new ServiceDatabases(new Map(await Promise.all(SERVICE_NAMES.map(open))));
  }

  collection(service: ServiceName, name: string): mongoose.Collection<Row> {
    return this.databases.get(service)!.collection<Row>(name);
  }

  async has(service: ServiceName, name: string, filter: object): Promise<boolean> {
    return (await this.collection(service, name).findOne(filter)) !== null;
  }

  async close(): Promise<void> {
    await Promise.all([...this.databases.values()].map((database) => database.close()));
  }
}
