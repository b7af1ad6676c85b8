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

/** Aborts when the connection closes before the answer was written. */
export function abortedWhenClosed(response: {
  once(event: 'close', listener: () => void): unknown;
  readonly writableFinished: boolean;
}): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
