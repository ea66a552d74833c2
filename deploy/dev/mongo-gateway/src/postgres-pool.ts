import { PostgresConnection, PostgresGone, type Result, type Statement } from './postgres-connection.js';

const SETTINGS = {
  user: 'postgres',
  database: 'postgres',
  client_encoding: 'UTF8',
  search_path: 'documentdb_api_catalog,documentdb_api,public',
};
const WAIT_MS = 30_000;

interface Waiter {
  give(connection: PostgresConnection): void;
  refuse(error: Error): void;
}

/** Connections lent one command, cursor or transaction at a time; the last returned is lent first, its caches are warm. */
export class PostgresPool {
  private readonly idle: PostgresConnection[] = [];
  private readonly waiting: Waiter[] = [];
  private open = 0;

  /** `onLost` is called when the last connection is lost: the server is unavailable. */
  constructor(
    private readonly port: number,
    private readonly connectionsMax: number,
    private readonly onLost: () => void,
  ) {}

  async acquire(): Promise<PostgresConnection> {
    const idle = this.idle.pop();
    if (idle) return idle;
    if (this.open < this.connectionsMax) return this.connect();
    return this.wait();
  }

  release(connection: PostgresConnection): void {
    if (connection.closed) return;
    const waiter = this.waiting.shift();
    if (waiter) waiter.give(connection);
    else this.idle.push(connection);
  }

  query(statement: Statement, values: (Buffer | null)[]): Promise<Result> {
    return this.lend((connection) => connection.query(statement, values));
  }

  run(sql: string): Promise<Result> {
    return this.lend((connection) => connection.run(sql));
  }

  private async lend(use: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.acquire();
    try {
      return await use(connection);
    } finally {
      this.release(connection);
    }
  }

  /** Rejects with PostgresGone while no server answers. */
  async ready(): Promise<void> {
    if (this.open === 0) this.release(await this.acquire());
  }

  private async connect(): Promise<PostgresConnection> {
    this.open += 1;
    try {
      const connection = await PostgresConnection.open(this.port, SETTINGS);
      connection.onClose = () => this.lost(connection);
      return connection;
    } catch (error) {
      this.open -= 1;
      throw error;
    }
  }

  private lost(connection: PostgresConnection): void {
    this.open -= 1;
    const index = this.idle.indexOf(connection);
    if (index >= 0) this.idle.splice(index, 1);
    if (this.open > 0) return;
    for (const waiter of this.waiting.splice(0)) waiter.refuse(new PostgresGone('PostgreSQL is unavailable'));
    this.onLost();
  }

  private wait(): Promise<PostgresConnection> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiter.refuse(new PostgresGone('no free database connection')), WAIT_MS);
      const waiter: Waiter = {
        give: (connection) => {
          clearTimeout(timer);
          resolve(connection);
        },
        refuse: (error) => {
          clearTimeout(timer);
          const index = this.waiting.indexOf(waiter);
          if (index >= 0) this.waiting.splice(index, 1);
          reject(error);
        },
      };
      this.waiting.push(waiter);
    });
  }
}
