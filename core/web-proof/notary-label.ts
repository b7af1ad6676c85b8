import { FORMAT_VERSION } from './tlsnotary/presentation.ts';

/** Where the routes of a notary are, below the address that it is known by: the format's version. */
export const NOTARY_PATH = `/v${FORMAT_VERSION}` as const;

/**
 * What a notary is called in `notaryUrl` and `meta.notaryUrl`: its address with the version behind it.
 * @param url with the version or without; slashes at the end do not matter
 */
export function notaryLabel(url: string): string {
  const address = url.replace(/(?<!\/)\/+$/, '');
  return address.endsWith(NOTARY_PATH) ? address : `${address}${NOTARY_PATH}`;
}
