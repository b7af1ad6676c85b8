/** What a mount needs of a Credence instance, and what both mounts share. */
import { Readable } from 'node:stream';
import { ConfigurationError } from '../../core/configuration-error.ts';
import { DomainError } from '../../core/errors.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { HttpResponse, RawRequest } from './message.ts';
import type { Route } from './route.ts';

/** What can be mounted: the rows of the route table and what answers them. */
export interface Mountable {
  /** The rows of the route table. */
  readonly routes: readonly Route[];
  /** Answers a request for a row. */
  readonly dispatcher: Dispatcher;
  /** Whether it writes a line for each request into a log of the host. */
  readonly logsRequests?: boolean;
}

/**
 * Makes sure that a mount was given an instance. Without types, a mistake would show as an error of the internals, or as a mount without
 * routes.
 * @param mount the name of its function
 * @throws ConfigurationError if it is anything else
 */
export function checkMountable(value: unknown, mount: string): void {
  const { routes, dispatcher } = (value ?? {}) as Partial<Mountable>;
  if (Array.isArray(routes) && typeof dispatcher?.dispatch === 'function') return;
  const advice = value instanceof Promise ? 'Wait for the promise of it first' : `Call \`${mount}(credence)\``;
  throw new ConfigurationError(`${mount} needs the instance that createCredence() returns. ${advice}.`);
}

/** A framework's own refusal (a malformed path, a body its parser gave up on) in our words; anything else as it is. */
export function framingError(error: unknown): unknown {
  if (error instanceof DomainError || typeof error !== 'object' || error === null) return error;
  const { statusCode, status = statusCode } = error as { statusCode?: unknown; status?: unknown };
  if (typeof status !== 'number' || status < 400 || status >= 500) return error;
  if (status === 413) return new DomainError('PAYLOAD_TOO_LARGE', 'The body is larger than this route accepts.');
  if (status === 415) return new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
  return new DomainError('INVALID_REQUEST', 'The request is malformed.');
}

/** The query of a request's target, without `?`. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

/** The part of Node's responses, of HTTP/1 and HTTP/2, that tells whether the client is still there. */
export interface ResponseStream {
  /** HTTP/2 has it in its stream instead. */
  readonly destroyed?: boolean;
  readonly stream?: { readonly destroyed: boolean; destroy(): unknown };
  /** The response alone would not do: one that waits its turn behind another has no socket yet. */
  readonly req: RawRequest & { readonly socket: { destroy(): unknown } };
  readonly writableEnded: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Whether the client of one request is still there. */
export class ClientConnection {
  readonly #response: ResponseStream;
  #isClosed = false;
  #controller: AbortController | undefined;

  constructor(response: ResponseStream) {
    this.#response = response;
    // HTTP/2 does not tell afterwards that a stream has closed. HTTP/1 does, and most handlers never ask.
    if (response.stream === undefined) return;
    if (response.stream.destroyed) this.#isClosed = true;
    else response.once('close', () => (this.#isClosed = true));
  }

  /** Calls back once the answer is sent or the client has gone; at once when that is so already. */
  onceClosed(callback: () => void): void {
    if (this.#isClosed || this.#response.destroyed === true) callback();
    else this.#response.once('close', callback);
  }

  /**
   * Aborts when the connection closes before the answer was written. Made when it is first asked for, since most handlers
   * never do, and the same one afterwards.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const created = new AbortController();
      this.#controller = created;
      this.onceClosed(() => {
        if (!this.#response.writableEnded) created.abort();
      });
    }
    return this.#controller.signal;
  }

  /** Ends the connection when it has not taken the answer in time, and gives back what was held for that. */
  carry({ body, streamed, release }: HttpResponse): void {
    const timer = streamed ? undefined : setTimeout(() => this.#end(), receivingMs(body.length)).unref();
    this.onceClosed(() => {
      clearTimeout(timer);
      release?.();
    });
  }

  /** A streamed body for Node's response, which asks for the next piece when it has room. */
  bodyOf(streamed: AsyncIterable<string>): Readable {
    return Readable.from(takenInTime(streamed, receivingMs(PIECE_BYTES), () => this.#end()));
  }

  #end(): void {
    const { stream, req } = this.#response;
    (stream ?? req.socket).destroy();
  }
}

const RECEIVING_GRACE_MS = 30_000;
/** One Mbit/s. */
const RECEIVING_BYTES_PER_MS = 125;
/** About as much as one piece of a streamed body holds. */
const PIECE_BYTES = 64 * 1024;

/**
 * How many milliseconds a client may take to receive so many bytes. A slow line has the time it takes. A client that reads
 * nothing, or a byte now and then, would otherwise hold the answer for as long as it likes.
 */
export function receivingMs(bytes: number): number {
  return RECEIVING_GRACE_MS + Math.ceil(bytes / RECEIVING_BYTES_PER_MS);
}

/** The pieces, as long as each is taken in time. Calls `giveUp` if one is not. */
export async function* takenInTime(
  pieces: AsyncIterable<string>,
  pieceMs: number,
  giveUp: () => void,
): AsyncGenerator<string, void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for await (const piece of pieces) {
      timer = setTimeout(giveUp, pieceMs).unref();
      yield piece;
      clearTimeout(timer);
    }
  } finally {
    clearTimeout(timer);
  }
}
