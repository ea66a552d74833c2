import { actorOf, LAST_DAY, RARE } from './seed-log.js';

const day = (before: number): string => new Date(LAST_DAY - before * 24 * 3600 * 1000).toISOString().slice(0, 10);
const [program, person] = [actorOf(4), actorOf(7)];

/** Typical queries of a log; each is sent to both logs in turn. */
export const QUERIES: Readonly<Record<string, string>> = {
  'no filter': '',
  'no filter, page 5': '?page=5&per_page=100',
  'an action': '?action=token.created',
  'a group': '?action=link.*&per_page=50',
  'an actor': `?actor=${person.id}`,
  'a token': `?actor=${program.token_id}`,
  'an e-mail address': `?actor=${person.email!.toUpperCase()}`,
  'an actor and an action': `?actor=${person.id}&action=session.created`,
  'an actor and a group': `?actor=${program.id}&action=link.*`,
  'an actor and what is rare': `?actor=${actorOf(0).id}&action=${RARE}`,
  'a day': `?from=${day(0)}&to=${day(0)}`,
  'since the beginning': `?from=2020-01-01&to=${day(0)}&action=link.updated`,
  'from one time to another': `?from=2021-05-05T10:11:12Z&to=${day(0)}T17:18:19Z`,
  'what nobody did': '?action=domain.deleted',
};
