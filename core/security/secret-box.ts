/** The default `SecretBox`: XChaCha20-Poly1305 with a random nonce, the context authenticated beside the text. */
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { z } from 'zod';
import { type RandomSource, systemRandom } from '../ports/random-source.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import { decodeBase64Url, encodeBase64Url } from './base64.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 24;
/** Names the algorithm, so that a later one can open what this one sealed. */
const VERSION = 'x1';
/** A byte order mark at the beginning is a part of the text. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const secretBoxKey = z
  .instanceof(Uint8Array)
  .refine(({ length }) => length === KEY_BYTES, `must be ${KEY_BYTES} bytes`);

/**
 * Seals secrets under one 32-byte key. 192-bit nonces may be random: they do not repeat under one key.
 * The result reads `x1.<base64url of nonce, ciphertext and tag>`.
 *
 * @throws RangeError when the key is not 32 bytes.
 */
export function createSecretBox(key: Uint8Array, random: RandomSource = systemRandom): SecretBox {
  if (key.length !== KEY_BYTES)
    throw new RangeError(`The key of a secret box has ${KEY_BYTES} bytes, not ${key.length}.`);
  const ownKey = key.slice();
  const encoder = new TextEncoder();
  return {
    seal(plaintext, context) {
      const nonce = random.bytes(NONCE_BYTES);
      const sealed = xchacha20poly1305(ownKey, nonce, encoder.encode(context)).encrypt(encoder.encode(plaintext));
      const message = new Uint8Array(NONCE_BYTES + sealed.length);
      message.set(nonce);
      message.set(sealed, NONCE_BYTES);
      return `${VERSION}.${encodeBase64Url(message)}`;
    },
    open(sealed, context) {
      const message = sealed.startsWith(`${VERSION}.`) ? decodeBase64Url(sealed.slice(VERSION.length + 1)) : null;
      if (message === null || message.length < NONCE_BYTES + 16) throw new Error('This is not a sealed secret.');
      const cipher = xchacha20poly1305(ownKey, message.subarray(0, NONCE_BYTES), encoder.encode(context));
      let plaintext: Uint8Array;
      try {
        plaintext = cipher.decrypt(message.subarray(NONCE_BYTES));
      } catch {
        throw new Error(`The secret was not sealed by this key for "${context}"; was the secrets key replaced?`);
      }
      return utf8.decode(plaintext);
    },
  };
}
