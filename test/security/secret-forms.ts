/** The ways in which a secret may be in a text, so that a search for leaks finds it however it was written. */

/** The secret as it is, and as other parts of a program would write it. */
export function formsOf(secret: string): string[] {
  const bare = secret.startsWith('whsec_') ? secret.slice(6) : secret;
  const raw = bytesBehind(secret);
  const forms = [bare, decoded(bare), encodeURIComponent(bare), ...encodedForms(Buffer.from(bare))];
  if (raw !== null) forms.push(raw.toString('latin1'), ...encodedForms(raw));
  return [...new Set(forms)];
}

/** What a secret that is itself an encoding stands for. */
function bytesBehind(secret: string): Buffer | null {
  if (secret.startsWith('whsec_')) return Buffer.from(secret.slice(6), 'base64');
  return /^[0-9a-f]{64}$/.test(secret) ? Buffer.from(secret, 'hex') : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encodedForms(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].map((offset) => base64Within(bytes, offset));
  const urlSafe = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [hex, hex.toUpperCase(), ...base64, ...urlSafe];
}

/**
 * The Base64 of the bytes where something longer was encoded with them in it (`Basic base64(user:password)`): as many bytes
 * before them as `offset`, modulo three. Characters at the edges that hold bits of what stands beside them are left out.
 */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
