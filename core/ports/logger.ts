/** Structured logging. Fields never hold secrets: tokens, keys, cookies, webhook secrets, bodies of proofs. */
export interface Logger {
  /** What only developers look for. */
  debug(fields: object, message: string): void;
  /** What happened as it should. */
  info(fields: object, message: string): void;
  /** What an operator should know of soon. */
  warn(fields: object, message: string): void;
  /** What needs an operator. */
  error(fields: object, message: string): void;
}

/** Drops everything. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
