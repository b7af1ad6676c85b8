/**
 * A typed client of the API, for Node.js, browsers and edge runtimes. It needs nothing but `fetch`.
 *
 *     const client = createCredenceClient({ url: 'https://api.example.com/engagement', token });
 *     const brand = await client.brands.create({ name: 'Acme', slug: 'acme' });
 *     for await (const campaign of client.campaigns.list()) console.log(campaign.title);
 */
import { type ClientApi, OPERATIONS } from './api.ts';
import { filledPath } from './path.ts';
import { type ClientOptions, createTransport, type Send } from './transport.ts';
import type { CallOptions, ListPage, Operation, Paged, Whole } from './types.ts';
import { type Warning, warningsOf } from './warnings.ts';

export type * from './api.ts';
export { CredenceApiError, CredenceConnectionError } from './errors.ts';
export type { ClientOptions, Fetch } from './transport.ts';
export type { CallOptions, ListPage, Paged, Whole } from './types.ts';
export type { Warning } from './warnings.ts';

/** The client: the operations of the API by resource. */
export type CredenceClient = ClientApi;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Makes a client. Nothing is sent before the first call.
 *
 * Each operation takes the fields of its path, query and body in one object, and `CallOptions`. It resolves to `data` of the
 * answer; to the whole answer if there is more in it, for example `pagination`. Lists go through all pages with `for await`.
 * Times are ISO 8601 text.
 *
 * Refusals with 429 or 503 and lost connections are retried, after the time in `Retry-After` and a random part. POST requests are
 * retried under an `Idempotency-Key`, so that they have one effect; PATCH requests only if they were refused with 429.
 *
 * A call that succeeds may warn you, most of all of a redaction of `proofs.prove` that hides nothing. Each warning is given to
 * `onWarning`, which writes it to the console by default.
 *
 * Operations throw `CredenceApiError` for a refusal, and `CredenceConnectionError` if no answer of Credence came in time. A token that no
 * header can carry, and a value that no path can, is a `TypeError`. An aborted signal gives its reason.
 *
 * @example
 * ```ts
 * import { createCredenceClient } from '@credence/client';
 *
 * const client = createCredenceClient({ url: 'http://localhost:3000', token: process.env.CREDENCE_TOKEN });
 * const { pagination } = await client.campaigns.list({ limit: 1 });
 * console.log(pagination.total);
 * for await (const campaign of client.campaigns.list()) console.log(campaign.title);
 * ```
 * @throws TypeError for a URL that is none, and for options that are no object
 */
export function createCredenceClient(options: ClientOptions): CredenceClient {
  const send = createTransport(options);
  const { onWarning = writeWarning } = options;
  const groups = Object.entries(OPERATIONS).map(([group, operations]) => [
    group,
    Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => {
        const warn = (message: string) => onWarning({ operation: `${group}.${name}`, message });
        return [name, methodOf(send, operation, warn)];
      }),
    ),
  ]);
  // The types and the table are written from the same document.
  return Object.fromEntries(groups) as CredenceClient;
}

function writeWarning({ operation, message }: Warning): void {
  console.warn(`credence: ${operation}: ${message}`);
}

function methodOf(send: Send, operation: Operation, warn: (message: string) => void) {
  const call = async (input: Fields, options?: CallOptions) => {
    const answer = await send(requestOf(operation, input), options);
    warningsOf(answer).forEach(warn);
    return unwrapped(answer, operation.mayHaveMore);
  };
  if (!operation.isPaged) return (input: Fields = {}, options?: CallOptions) => call(input, options);
  const paged = (input: Fields = {}, options?: CallOptions): Paged<unknown> => {
    // An empty cursor asks for the first page and the cursor of the next.
    const first = input.page === undefined && input.cursor === undefined ? { ...input, cursor: '' } : input;
    const read = (fields: Fields) => call(fields, options) as Promise<ListPage<unknown>>;
    const page = read(first);
    // A list may be walked later: a refusal in between must not end the process. Who awaits it still gets it.
    page.catch(() => undefined);
    return Object.assign(page, {
      async *[Symbol.asyncIterator]() {
        for (let current = await page; ; ) {
          yield* current.data;
          const { nextCursor } = current.pagination;
          if (typeof nextCursor !== 'string') return;
          current = await read({ ...first, cursor: nextCursor });
        }
      },
    });
  };
  if (!operation.isWhole) return paged;
  return (input: Fields = {}, options?: CallOptions): Paged<unknown> | Whole<unknown> => {
    if (PAGE_FIELDS.some((name) => input[name] !== undefined)) return paged(input, options);
    let isWalked = false;
    // A moment later: `for await` takes the iterator at once, and then the whole list is not asked for.
    const all = Promise.resolve().then(() => (isWalked ? [] : call(input, options))) as Promise<readonly unknown[]>;
    all.catch(() => undefined);
    return Object.assign(all, {
      [Symbol.asyncIterator]() {
        isWalked = true;
        return paged({ ...input, limit: LARGEST_PAGE }, options)[Symbol.asyncIterator]();
      },
    });
  };
}

const PAGE_FIELDS = ['page', 'limit', 'cursor'];
const LARGEST_PAGE = 100;

function requestOf({ method, path, query = [], hasBody = false }: Operation, input: Fields) {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const filled = filledPath(path, take);
  const given = query.flatMap((name): [string, string][] => {
    const value = take(name);
    return value === undefined || value === null ? [] : [[name, String(value)]];
  });
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return { method, path: `${filled}${search}`, body: hasBody ? Object.fromEntries(rest) : undefined };
}

/** `data` alone, or everything but the envelope if there is more or may be. */
function unwrapped(body: unknown, mayHaveMore = false): unknown {
  if (typeof body !== 'object' || body === null || !('data' in body)) return body;
  const { apiVersion, success, ...rest } = body as Fields;
  return Object.keys(rest).length === 1 && !mayHaveMore ? rest.data : rest;
}
