/** 32-byte big-endian integers, the form in which field elements travel. */

/** `value` as 32 big-endian bytes. Throws a `RangeError` when it is negative or does not fit. */
export function toBytes32(value: bigint): Uint8Array {
  // A negative one keeps its sign when it is shifted.
  if (value >> 256n !== 0n) throw new RangeError('the integer does not fit 32 bytes');
  const bytes = new Uint8Array(32);
  let rest = value;
  for (let i = 31; rest > 0n; i -= 1) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}

/** The integer that `bytes` hold, big-endian. */
export function toInteger(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}
