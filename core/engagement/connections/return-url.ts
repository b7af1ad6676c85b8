/** The way back from the connect page: to origins that the operator lists, and nowhere else. */
import { DomainError } from '../../errors.ts';
import type { ConnectionRequest, ConnectionStatus } from './connection.ts';

/**
 * The URL in its normal form, if its origin is one of the listed ones.
 * @throws DomainError `INVALID_REQUEST`
 */
export function allowedReturnUrl(text: string, origins: readonly string[]): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw refused('must be an http or https URL');
  }
  if (url.username !== '' || url.password !== '') throw refused('must not hold a user name or password');
  if (!origins.includes(url.origin)) {
    throw refused('its origin is not allowed; the operator lists origins in the setting `connect.returnOrigins`');
  }
  return url.href;
}

/**
 * Where the creator goes back to, with the outcome in the query: `requestId`, `platform`, and `status`, which is `connected`,
 * `failed`, `expired` or `pending`. Null if the request has no way back.
 */
export function returnLink(request: ConnectionRequest, status: ConnectionStatus): string | null {
  if (!request.returnUrl) return null;
  const url = new URL(request.returnUrl);
  url.searchParams.set('status', status);
  url.searchParams.set('platform', request.platform);
  url.searchParams.set('requestId', request.id);
  return url.href;
}

function refused(why: string): DomainError {
  return new DomainError('INVALID_REQUEST', `Invalid request: returnUrl: ${why}.`);
}
