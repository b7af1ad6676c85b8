/**
 * Compares texts in a time that depends on their lengths only; for signatures, hashes and codes that a caller sends. Different
 * lengths are unequal.
 */
export function equalText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}
