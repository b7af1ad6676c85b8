/** What the benchmark and the process of its host say to each other. */

/** The command-line argument of the host process: how many rows there are. */
export interface HostSetup {
  readonly rows: Rows;
  readonly tiktokBaseUrl: string;
  readonly instagramBaseUrl: string;
  /** Receives the webhooks. */
  readonly receiverUrl: string;
  /** PEM of the authority whose servers may be proven. */
  readonly authority: string;
  readonly posts: { readonly comments: string; readonly likers: string };
}

export interface Rows {
  readonly comments: number;
  readonly creators: number;
  readonly attempts: number;
  readonly deliveries: number;
  readonly likers: number;
  readonly campaigns: number;
  readonly jobs: number;
  readonly auditEntries: number;
  /** In the log of a subscriber. */
  readonly subscriberDeliveries: number;
  /** Events that wait for another subscriber. */
  readonly backlog: number;
}

export interface HostReady {
  readonly baseUrl: string;
  readonly token: string;
  /** Of the database. */
  readonly path: string;
  /** Ids of all routes. */
  readonly routes: readonly string[];
  readonly periodic: readonly string[];
}

export type HostRequest =
  /** Starts the measuring again. */
  | { readonly kind: 'begin' }
  /** Answered with `Stall` once nothing is due any more. */
  | { readonly kind: 'end' }
  /** Runs periodic work once; answered when it is done. */
  | { readonly kind: 'periodic'; readonly name: string }
  /** Registers the subscriber whose events wait. */
  | { readonly kind: 'subscribe' };

/** What came of periodic work: how many rows it handled, if it counts them. */
export interface PeriodicDone {
  readonly handled: number | null;
}

/** The longest time in which nothing else had its turn, in milliseconds. */
export interface Stall {
  /** By the clock: p100 of `monitorEventLoopDelay`. */
  readonly elapsed: number;
  /** By the processor time of the main thread, which other processes do not lengthen. */
  readonly processor: number;
}
