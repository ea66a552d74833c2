/** Every service that has commands of its own. */
export type CommandService = 'auth' | 'resource' | 'redirect' | 'analytics' | 'domain' | 'audit';

export interface CommandGroup {
  /** The service whose container runs these commands; `null` when that of every service does. */
  service: CommandService | null;
  summary: string;
}

/**
 * The first words of the operator's commands: `user` of `user create`. A command that another service has than the rest of
 * its group is listed by its whole name.
 */
export const COMMAND_GROUPS: Readonly<Record<string, CommandGroup>> = {
  user: { service: 'auth', summary: 'Accounts and their passwords' },
  workspace: { service: 'auth', summary: 'Workspaces and their plans' },
  member: { service: 'auth', summary: 'Members of a workspace and their roles' },
  token: { service: 'auth', summary: 'Personal access tokens' },
  session: { service: 'auth', summary: 'Sessions of browsers' },
  link: { service: 'resource', summary: 'Links that are blocked, or that visitors have reported' },
  'link reports': { service: 'redirect', summary: 'Lists the links that visitors have reported' },
  domain: { service: 'domain', summary: 'Custom domains' },
  recount: { service: 'resource', summary: 'Recounts what a workspace uses of its limits' },
  warehouse: { service: 'analytics', summary: 'The copy of scans and conversions in ClickHouse' },
  reclassify: { service: 'analytics', summary: 'Classifies the bots of stored scans again' },
  audit: { service: 'audit', summary: 'Audit logs' },
  parked: { service: null, summary: 'Messages that no consumer could handle' },
};

/** Returns the group of a command by its words, such as `['user', 'create']`; `undefined` for an unknown command. */
export const commandGroupOf = ([first = '', second = '']: readonly string[]): CommandGroup | undefined =>
  COMMAND_GROUPS[`${first} ${second}`] ?? COMMAND_GROUPS[first];
