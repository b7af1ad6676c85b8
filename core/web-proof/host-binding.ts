/**
 * Which server a proof is about. The format leaves the server's name unsigned. Any name on the certificate passes, so the name
 * can be rewritten as long as the `Host` header is hidden. Credence's notaries therefore sign it, with the port, in an extension.
 */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeUtf8 } from './http/text.ts';
import type { Extension } from './tlsnotary/presentation.ts';
import { isServerName } from './tlsnotary/server-name.ts';
import { demand } from './tlsnotary/verification-error.ts';

/** Id of the extension, ASCII. Its value is ASCII too: `name:port`, the name in canonical form, the port always there. */
const SERVER_EXTENSION_ID = 'credence.server.v1';

export const HTTPS_PORT = 443;

/** The server that a request was made to. */
export interface ServerAddress {
  /** Lower case, no trailing dot. */
  readonly name: string;
  readonly port: number;
}

/** `name`, with `:port` behind it unless that is 443. */
export function authorityOf({ name, port }: ServerAddress): string {
  return port === HTTPS_PORT ? name : `${name}:${port}`;
}

/** The extension that binds an attestation to a server. The signature over the attestation covers it. */
export function serverExtension({ name, port }: ServerAddress): Extension {
  return { id: utf8ToBytes(SERVER_EXTENSION_ID), value: utf8ToBytes(`${name}:${port}`) };
}

/**
 * What the one extension with this id says; null when there is none, and empty when it is no text.
 * @param what the notary must not have signed twice
 * @throws DomainError `INTERNAL_SERVER_ERROR` when it is there twice
 */
export function signedText(extensions: readonly Extension[], id: string, what: string): string | null {
  const [extension, second] = extensions.filter((each) => decodeUtf8(each.id) === id);
  if (extension === undefined) return null;
  demand(second === undefined, `the notary signed more than one ${what}`);
  return decodeUtf8(extension.value) ?? '';
}

/**
 * The server that the notary signed; null when the attestation has no such extension.
 * @throws DomainError `INTERNAL_SERVER_ERROR` for an extension that is malformed or there twice.
 */
export function signedServer(extensions: readonly Extension[]): ServerAddress | null {
  const text = signedText(extensions, SERVER_EXTENSION_ID, 'server');
  if (text === null) return null;
  const [, name = '', digits] = /^([^:]+):([1-9]\d{0,4})$/.exec(text) ?? [];
  const port = Number(digits);
  demand(port <= 65_535 && isServerName(name), 'the signed server is not a name and a port');
  return { name, port };
}

/**
 * Says why the server of a verified proof is not certain. Null when it is confirmed: the notary signed its name or
 * the request shows a `Host` header with it and the names of all others. Ask before you rely on `serverName` or `url`. Of a
 * foreign notary that lets the prover choose the hidden bytes, a shown `Host` is only as good as the hiding: see `hidesSoundly`.
 */
export function hostProblem({ hostConfirmed }: { readonly hostConfirmed: boolean }): string | null {
  return hostConfirmed
    ? null
    : "the notary did not sign the server's name, and the request does not show it for certain. Make a proof that shows the Host header, all header names and the beginning of the URL";
}
