/**
 * How a proof of Credence's notaries was made. An attesting notary makes the request itself and signs the server with its port
 * (`host-binding.ts`). A blind notary takes part in the request and signs the name that it checked, and no port.
 */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { signedServer, signedText } from './host-binding.ts';
import type { Extension } from './tlsnotary/presentation.ts';
import { isServerName } from './tlsnotary/server-name.ts';
import { demand } from './tlsnotary/verification-error.ts';

/** Id of the extension, ASCII. Its value is the server's name in canonical form, ASCII too. */
const BLIND_EXTENSION_ID = 'credence.blind.v1';

/** `attesting`: the notary made the request and saw it all. `blind`: it saw what the proof shows. */
export type Notarization = 'attesting' | 'blind';

/** The extension of a blind notary. The signature over the attestation covers it. */
export function blindExtension(serverName: string): Extension {
  return { id: utf8ToBytes(BLIND_EXTENSION_ID), value: utf8ToBytes(serverName) };
}

/**
 * The name of the server that a blind notary signed; null when the attestation has no such extension.
 * @throws DomainError `INTERNAL_SERVER_ERROR` for an extension that is malformed or there twice.
 */
export function blindServer(extensions: readonly Extension[]): string | null {
  const name = signedText(extensions, BLIND_EXTENSION_ID, 'server of a blind session');
  demand(name === null || isServerName(name), 'the signed server of a blind session is not a name');
  return name;
}

/**
 * How the notary says that the proof was made; null for notaries that do not say it.
 * @throws DomainError `INTERNAL_SERVER_ERROR` for an attestation that says both.
 */
export function notarizationOf(extensions: readonly Extension[]): Notarization | null {
  const isBlind = blindServer(extensions) !== null;
  const isAttesting = signedServer(extensions) !== null;
  demand(!(isBlind && isAttesting), 'the notary says that it saw the request, and that it did not');
  if (isBlind) return 'blind';
  return isAttesting ? 'attesting' : null;
}
