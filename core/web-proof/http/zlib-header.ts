/** RFC 1950: method 8, and the first two bytes are a multiple of 31. Raw deflate data has no such header. */
export function hasZlibHeader(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return bytes.length >= 2 && (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}
