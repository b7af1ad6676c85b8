/** A mistake in how a command was called; the message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
