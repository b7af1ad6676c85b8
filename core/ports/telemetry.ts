/** Port: what the operator sees of the work done here, as figures and traces. Never texts, handles or tokens. */

/** What kind of work is observed. */
export type ObservedKind = 'request' | 'job' | 'delivery' | 'platform' | 'proof';

/** A piece of work. */
export interface Observed {
  readonly kind: ObservedKind;
  /** One of a small, fixed set: a route's id, a job's type, a call of a port. */
  readonly name: string;
  /** Headers in which a caller may have sent its trace. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
}

/** Figures in the text format of Prometheus. */
export interface Metrics {
  readonly contentType: string;
  readonly text: string;
}

/** Observes the work of an instance. */
export interface Telemetry {
  /**
   * Does the work, as one operation of this kind, and passes its result or error on. `outcomeOf` names a result, from a small
   * set (`ok` by default); an error is named by its code.
   */
  observe<T>(what: Observed, work: () => Promise<T>, outcomeOf?: (result: T) => string): Promise<T>;
  /** Everything counted so far, for a scraper. */
  metrics(): Promise<Metrics>;
  /** Sends what is left and lets go of connections. */
  close(): Promise<void>;
}

/** Sees nothing. */
export const noTelemetry: Telemetry = {
  observe: (_what, work) => work(),
  metrics: async () => ({ contentType: 'text/plain; charset=utf-8', text: '' }),
  close: async () => undefined,
};
