/** One request to a receiver. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Covers name resolution, connection, sending and the whole answer. */
  readonly deadlineMs: number;
  /** Gives the request up; its outcome is then a failed connection. */
  readonly signal?: AbortSignal;
}

/** What came of a request. */
export type WebhookOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | null;
      /** The beginning of the answer's body, if it is text. */
      readonly body?: string;
    }
  /** Nothing usable came back: refused by the SSRF guard, connection failure, reset, deadline. */
  | {
      readonly kind: 'failed';
      readonly reason: 'blocked' | 'connection' | 'timeout' | 'protocol';
      readonly message: string;
    };

/** Sends webhooks. Never follows redirects, never keeps more of an answer than a bounded snippet. */
export interface WebhookTransport {
  /** Never rejects: every failure is an outcome. */
  send(request: WebhookRequest): Promise<WebhookOutcome>;
  /** Ends requests under way and lets go of connections. */
  close(): Promise<void>;
}
