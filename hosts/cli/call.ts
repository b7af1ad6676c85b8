/** Calls operations of a Credence instance over HTTP. */
import type { Operation } from './operations.ts';

export interface Target {
  readonly url: string;
  readonly token: string | undefined;
}

/** The instance refused the call. `code` is one of docs/errors.md. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: string;
  readonly status: number;
  readonly requestId: string | null;

  constructor(status: number, code: string, message: string, requestId: string | null) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }
}

/** The instance cannot be reached, or what answers is no Credence. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

export type Values = Readonly<Record<string, unknown>>;

/** Fields of the request by name, those of the path and the query too; what is left is the body. */
export interface CallInput {
  readonly path: Values;
  readonly query: Values;
  readonly body: Values;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Calls an operation and resolves to its answer as JSON.
 * @throws RefusedError, UnreachableError
 */
export async function call(target: Target, operation: Operation, input: CallInput): Promise<unknown> {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input.path[name])));
  const url = new URL(`${target.url.replace(/\/+$/, '')}${path}`);
  for (const [name, value] of Object.entries(input.query)) url.searchParams.set(name, String(value));
  const takesBody = operation.fields.some(({ place }) => place === 'body');
  let response: Response;
  try {
    response = await fetch(url, {
      method: operation.method,
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(target.token === undefined ? {} : { authorization: `Bearer ${target.token}` }),
        ...(takesBody ? { 'content-type': 'application/json' } : {}),
      },
      ...(takesBody ? { body: JSON.stringify(input.body) } : {}),
    });
  } catch (error) {
    const cause = (error as { cause?: { code?: string; message?: string } }).cause;
    throw new UnreachableError(
      `Cannot reach ${url.origin} (${cause?.code ?? cause?.message ?? String(error)}). Is it running?`,
    );
  }
  const body = parsed(await textOf(response, url), url);
  if (response.ok) return body;
  const { code, message } = refusalOf(body);
  throw new RefusedError(response.status, code, message, response.headers.get('x-request-id'));
}

async function textOf(response: Response, url: URL): Promise<string> {
  const bytes: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new UnreachableError(`The answer of ${url.origin} is larger than 64 MiB.`);
    bytes.push(chunk);
  }
  return Buffer.concat(bytes).toString('utf8');
}

function parsed(text: string, url: URL): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreachableError(`What answers at ${url.origin} is not Credence: its answer is not JSON. Check --url.`);
  }
}

/** The three dialects of one error model. */
function refusalOf(body: unknown): { code: string; message: string } {
  const { error, code, message, detail } = (body ?? {}) as Record<string, unknown>;
  if (typeof error === 'object' && error !== null) return refusalOf(error);
  const said = [message, detail, error].find((text) => typeof text === 'string');
  return {
    code: typeof code === 'string' ? code : 'ERROR',
    message: typeof said === 'string' ? said : 'The call failed.',
  };
}
