/** The result of a fault, printed as JSON. */
export type Report = Record<string, unknown> & { passed: boolean };
