export interface Page {
  page: number;
  perPage: number;
}

export interface PageOf<T> {
  items: T[];
  total: number;
}

/** A page of a list that may be very long. */
export interface CursorPage<T> extends PageOf<T> {
  /** Whether more match than `total` says. */
  truncated: boolean;
  page: number;
  /** The cursor of the next page; `null` on the last. */
  nextCursor: string | null;
}
