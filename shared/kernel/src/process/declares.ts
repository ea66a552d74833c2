/**
 * The queues that a process declares on the broker: `all` of the installation; only its `own`, as tests do; or `none`,
 * where the operator imported the definitions and the process has no right to declare: it then checks that they were
 * imported.
 */
export const DECLARES = ['all', 'own', 'none'] as const;
export type Declares = (typeof DECLARES)[number];
