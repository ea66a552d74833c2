import { USER_AGENT_LENGTH_MAX } from './user-agent.js';

/**
 * What is kept of a user agent, to classify its scan again: each number or version becomes 0. Versions tell visitors apart and bots
 * not, and an address that a client may send in it is gone.
 */
export const agentFamily = (userAgent: string): string =>
  userAgent.slice(0, USER_AGENT_LENGTH_MAX).replace(IP_V6, '0').replace(NUMBERS, '0');

const IP_V6 = /(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}/gi;
const NUMBERS = /\d+(?:[._]\d+)*/g;
