/** What the operations of the client take and return, whatever the API is. */

/** One operation of the API. */
export interface Operation {
  readonly method: string;
  /** With `{name}` placeholders. */
  readonly path: string;
  /** Names of the fields that go into the query. */
  readonly query?: readonly string[];
  /** The fields that are left are the body. */
  readonly hasBody?: boolean;
  /** It answers a page of a list and takes `page`, `limit` and `cursor`. */
  readonly isPaged?: boolean;
  /** It answers a whole list unless a page is asked for. */
  readonly isWhole?: boolean;
  /** Its answer may have more than `data`, and need not: it is never reduced to `data`. */
  readonly mayHaveMore?: boolean;
}

/** What one call may set. */
export interface CallOptions {
  /** Ends the call, its retries too. It then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take, retries and waits included. */
  readonly timeoutMs?: number | undefined;
  /** How often the call is retried. */
  readonly maxRetries?: number | undefined;
  /**
   * `Idempotency-Key` of a POST request. Give one of your own to repeat a call after your process was restarted.
   * @default a new one for each call, the same for its retries
   */
  readonly idempotencyKey?: string | undefined;
}

/** A page of a list. */
export interface ListPage<Item> {
  readonly data: readonly Item[];
  readonly pagination: {
    readonly page: number;
    readonly limit: number;
    readonly total: number;
    /** Null after the last page; absent if the call named a `page`. */
    readonly nextCursor?: string | null | undefined;
  };
}

/**
 * A list: `await` gives its first page, `for await` goes through the items of all pages. A call with `page` has that page only.
 * @example
 * ```ts
 * import { createCredenceClient } from '@credence/client';
 *
 * const client = createCredenceClient({ url: 'http://localhost:3000' });
 * for await (const campaign of client.campaigns.list({ limit: 100 })) console.log(campaign.title);
 * ```
 */
export type Paged<Item> = Promise<ListPage<Item>> & AsyncIterable<Item>;

/**
 * A list that is whole by default: `await` gives all of it, `for await` goes through its items page by page. A call with a
 * `limit` gives `Paged` instead.
 * @example
 * ```ts
 * import { createCredenceClient } from '@credence/client';
 *
 * const client = createCredenceClient({ url: 'http://localhost:3000' });
 * for await (const creator of client.creators.list()) console.log(creator.platformUsername);
 * ```
 */
export type Whole<Item> = Promise<readonly Item[]> & AsyncIterable<Item>;
