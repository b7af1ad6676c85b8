/** What a mount needs of a Credence instance, and what both mounts share. */
import { DomainError } from '../../core/errors.ts';
import type { Dispatcher } from './dispatcher.ts';
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
    if (response.destroyed) abort();
    else response.once('close', abort);
    return created.signal;
  };
}
