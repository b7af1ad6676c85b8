/** Authenticated encryption of secrets at rest (webhook secrets, platform sessions). */
export interface SecretBox {
  /** Seals text bound to a context, for example `webhook`; the result is printable. */
  seal(plaintext: string, context: string): string;
  /** @throws Error when the text was not sealed by this key for this context. */
  open(sealed: string, context: string): string;
}
