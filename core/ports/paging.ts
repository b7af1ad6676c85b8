/** An item of a list, after which the list continues. */
export interface Position {
  readonly id: number;
  /** In lists that are ordered by a time: the time of the item. */
  readonly at?: Date;
}

/** A page of a list; `page` counts from 1. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
  /** The page begins after this item, which may be gone meanwhile; `page` does not count then. */
  readonly after?: Position | undefined;
}

/** Some items of a list, and how many there are in all. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}
