/** Example bodies of one operation; those of a request may be in the schema of the body instead. */
export interface OperationExample {
  readonly request?: unknown;
  /** By status. */
  readonly responses?: Readonly<Record<number, unknown>>;
}

/** By `operationId`. */
export type OperationExamples = Readonly<Record<string, OperationExample>>;

/** Of an operation that answers this body. */
export const answers = (body: unknown, status = 200): OperationExample => ({ responses: { [status]: body } });
/** Of one that wraps its answer in `data`. */
export const data = (value: unknown, status?: number): OperationExample => answers({ data: value }, status);
/** Of a list whose first page has these items. */
export const page = (...items: readonly unknown[]): OperationExample =>
  answers({ data: items, pagination: { page: 1, limit: 20, total: 1 } });
