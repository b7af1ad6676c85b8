/** Calls operations of a Credence instance over HTTP. */
import { CredenceApiError, CredenceConnectionError } from '../../plugins/client/errors.ts';
import { filledPath, UnusablePathValue } from '../../plugins/client/path.ts';
import { createTransport } from '../../plugins/client/transport.ts';
import type { Operation } from './operations.ts';

export { CredenceApiError as RefusedError, CredenceConnectionError as UnreachableError, UnusablePathValue };

export interface Target {
  readonly url: string;
  readonly token: string | undefined;
}

/** A proof is compressed within minutes. */
const TIMEOUT_MS = 600_000;

export type Values = Readonly<Record<string, unknown>>;

/** Fields of the request by name. */
export interface CallInput {
  readonly path?: Values;
  readonly query?: Values;
  /** By names in lower case. */
  readonly headers?: Values;
  readonly body?: Values;
}

/**
 * Calls an operation and resolves to its answer as JSON.
 * @throws RefusedError, UnreachableError, UnusablePathValue
 */
export async function call(target: Target, operation: Operation, input: CallInput): Promise<unknown> {
  const { path: inPath = {}, query: inQuery = {}, body = {} } = input;
  const { 'idempotency-key': idempotencyKey, ...others } = input.headers ?? {};
  const headers = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]));
  // Who types a command sees the failure, and repeats it.
  const send = createTransport({ ...target, headers, maxRetries: 0, timeoutMs: TIMEOUT_MS });
  const path = filledPath(operation.path, (name) => inPath[name]);
  const query = new URLSearchParams(
    Object.entries(inQuery).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const takesBody = operation.fields.some(({ place }) => place === 'body');
  return send(
    {
      method: operation.method,
      path: query.size === 0 ? path : `${path}?${query}`,
      body: takesBody ? body : undefined,
    },
    idempotencyKey === undefined ? {} : { idempotencyKey: String(idempotencyKey) },
  );
}
