import { DomainError } from '../../core/errors.ts';

/** The part of Node's requests, of HTTP/1 and HTTP/2, that tells which headers were sent. */
export interface RawRequest {
  readonly httpVersion: string;
  /** Names and values in turn, as they arrived. */
  readonly rawHeaders: readonly string[];
}

/**
 * Refuses a request with more than one `Host`, and one of HTTP/1.1 with none (RFC 9112, section 3.2). Node keeps the first of
 * several; a proxy in front may have read the last.
 * @returns the refusal, or null for a request with one `Host`
 */
export function hostRefusal({ httpVersion, rawHeaders }: RawRequest): DomainError | null {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && httpVersion !== '1.1')) return null;
  return new DomainError('INVALID_REQUEST', 'Send exactly one Host header.');
}
