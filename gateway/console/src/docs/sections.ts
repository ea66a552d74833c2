/** The anchors of the sections. */
export const BASICS = 'basics';
export const BASICS_NAME = 'How the API works';
export const WEBHOOKS = 'webhooks';
export const EVENTS = 'webhook-events';
export const ERRORS = 'error-codes';
export const PROBLEMS = 'problems';

/** What the anchors of their parts begin with: a heading, the code of an error or of a problem. */
export const BASIC = 'basics:';
export const ERROR = 'error:';
export const PROBLEM = 'problem:';
