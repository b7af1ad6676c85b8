/** 32-byte big-endian integers, the form in which field elements travel. */

/** `value` as 32 big-endian bytes. Throws a `RangeError` when it is negative or does not fit. */
export function toBytes32(value: bigint): Uint8Array {
  // A negative one keeps its sign when it is shifted.
  if (value >> 256n !== 0n) throw new RangeError('the integer does not fit 32 bytes');
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  for (let word = 0; word < 4; word += 1)
    view.setBigUint64(8 * word, BigInt.asUintN(64, value >> BigInt(192 - 64 * word)));
  return bytes;
}

/** The integer that `bytes` hold, big-endian. */
export function toInteger(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let value = 0n;
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) value = (value << 64n) | view.getBigUint64(at);
  for (; at < bytes.length; at += 1) value = (value << 8n) | BigInt(bytes[at] ?? 0);
  return value;
}
