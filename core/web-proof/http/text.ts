const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text, or null when the bytes are not UTF-8. A byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Engines take many more arguments, but not all as many as a body has bytes. */
const MAX_ARGUMENTS = 4_096;

/** Every byte as the character of the same number. A mebibyte takes some milliseconds. */
export function decodeLatin1(bytes: Uint8Array): string {
  // No iteration over the bytes: it takes ten times as long.
  const characters = (part: Uint8Array) => Reflect.apply(String.fromCharCode, null, part);
  if (bytes.length <= MAX_ARGUMENTS) return characters(bytes);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS)
    parts.push(characters(bytes.subarray(at, at + MAX_ARGUMENTS)));
  return parts.join('');
}

/** UTF-8, or Latin-1 where it is not: header values may be either. */
export function decodeHeaderText(bytes: Uint8Array): string {
  return decodeUtf8(bytes) ?? decodeLatin1(bytes);
}
