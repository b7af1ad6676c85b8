/** The URL under which clients reach an instance, as a configuration names it. */
import { z } from 'zod';

/**
 * Paths are appended to it for links and documents. Trailing slashes are dropped, and a query, a fragment or credentials, which
 * no path can follow, are refused.
 */
export const publicUrl = z
  .url({
    protocol: /^https?$/,
    normalize: true,
    error: 'must be a URL that begins with https:// or http://, such as https://api.example.com',
    abort: true,
  })
  .regex(/^[^?#]*$/, 'must have no query and no fragment')
  .regex(/^https?:\/\/[^/@]*(\/|$)/, 'must have no credentials')
  .transform(withoutTrailingSlashes);

function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
