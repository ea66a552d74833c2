import { runInNewContext } from 'node:vm';

export interface MongoRole {
  role: string;
  privileges: { resource: { db: string; collection: string }; actions: string[] }[];
  roles: object[];
}

export interface MongoUser {
  user: string;
  pwd: string;
  roles: { role: string; db: string }[];
}

/** The users and roles of one database, with the rules of MongoDB that a script depends on. */
class MongoAccounts {
  readonly users = new Map<string, MongoUser>();
  readonly roles = new Map<string, MongoRole>();

  getUser(name: string): object | null {
    return this.users.get(name) ?? null;
  }

  createUser(user: MongoUser): void {
    if (this.users.has(user.user)) throw new Error(`User "${user.user}" already exists`);
    for (const { role } of user.roles)
      if (role !== 'readWrite' && !this.roles.has(role)) throw new Error(`Could not find role: ${role}`);
    this.users.set(user.user, user);
  }

  updateUser(name: string, changes: Partial<MongoUser>): void {
    const user = this.users.get(name);
    if (!user) throw new Error(`User ${name} not found`);
    this.users.set(name, { ...user, ...changes });
  }

  getRole(name: string): object | null {
    return this.roles.get(name) ?? null;
  }

  createRole(role: MongoRole): void {
    if (this.roles.has(role.role)) throw new Error(`Role "${role.role}" already exists`);
    this.roles.set(role.role, role);
  }

  updateRole(name: string, changes: Partial<MongoRole>): void {
    const role = this.roles.get(name);
    if (!role) throw new Error(`Role ${name} not found`);
    this.roles.set(name, { ...role, ...changes });
  }
}

/** Runs scripts that create users as mongosh does: the local database server has neither users nor roles. */
export class MongoShell {
  readonly databases = new Map<string, MongoAccounts>();

  accountsOf(database: string): MongoAccounts {
    if (!this.databases.has(database)) this.databases.set(database, new MongoAccounts());
    return this.databases.get(database)!;
  }

  run(script: string): void {
    runInNewContext(script, { db: { getSiblingDB: (name: string) => this.accountsOf(name) } });
  }

  static ran(script: string): MongoShell {
    const shell = new MongoShell();
    shell.run(script);
    return shell;
  }
}
