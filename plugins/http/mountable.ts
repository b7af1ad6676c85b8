/** What a mount needs of a Credence instance, and what both mounts share. */
import { DomainError } from '../../core/errors.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { BodySource, HttpRequest } from './message.ts';
import type { Route } from './route.ts';

export interface Mountable {
  readonly routes: readonly Route[];
  readonly dispatcher: Dispatcher;
}

/** A row's path in the spelling that Fastify and Express share: `/brands/:brandId`. */
export function frameworkPath(route: Route): string {
  return route.path.replaceAll(/\{(\w+)\}/g, ':$1');
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

/** The part of Node's response that tells whether the client is still there. */
export interface ResponseStream {
  readonly destroyed: boolean;
  readonly writableFinished: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Calls back once the answer is sent or the client has gone. */
export function onceClosed(response: ResponseStream, callback: () => void): void {
  if (response.destroyed) callback();
  else response.once('close', callback);
}

/**
 * A signal that aborts when the connection closes before the answer was written. Made when it is first asked for, since
 * most handlers never do, and the same one afterwards.
 */
export function closeSignal(response: ResponseStream): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (controller) return controller.signal;
    const created = new AbortController();
    controller = created;
    const abort = () => {
      if (!response.writableFinished) created.abort();
    };
    onceClosed(response, abort);
    return created.signal;
  };
}

/** What a framework's request says in the same words everywhere. */
interface FrameworkRequest {
  readonly method: string;
  readonly params: unknown;
  readonly headers: HttpRequest['headers'];
}

/**
 * A framework's request as the dispatcher takes it. A class, since making an object with getters of its own takes a
 * microsecond.
 */
export abstract class MountedRequest<Native extends FrameworkRequest> implements HttpRequest {
  readonly method: string;
  readonly params: Record<string, string>;
  readonly query: string;
  readonly headers: HttpRequest['headers'];
  readonly body: BodySource;
  readonly native: Native;
  readonly #signal: () => AbortSignal;

  /** `url` is the target with its query, in any form that ends with it. */
  constructor(native: Native, url: string, body: BodySource, response: ResponseStream) {
    const mark = url.indexOf('?');
    this.method = native.method;
    this.params = native.params as Record<string, string>;
    this.query = mark === -1 ? '' : url.slice(mark + 1);
    this.headers = native.headers;
    this.body = body;
    this.native = native;
    this.#signal = closeSignal(response);
  }

  abstract get ip(): string;

  abstract get baseUrl(): string;

  get signal(): AbortSignal {
    return this.#signal();
  }
}
