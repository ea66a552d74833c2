import type { en } from './en.js';

/** Every language has a text wherever English has one, with the same parameters. */
export type Texts<T> = T extends (...parameters: infer P) => string
  ? (...parameters: P) => string
  : T extends string
    ? string
    : { [K in keyof T]: Texts<T[K]> };
export type Messages = Texts<typeof en>;
