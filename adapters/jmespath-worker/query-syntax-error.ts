/** A query is not JMESPath; the message completes "it failed: ". */
export class QuerySyntaxError extends Error {
  override readonly name = 'QuerySyntaxError';
}
