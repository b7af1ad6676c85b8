/** Last step for a list without pages: its rows are sent while they are read, so that they are never all in memory. */
import type { Logger } from '../../../core/ports/logger.ts';
import { encoderOf } from '../encode-reply.ts';
import type { HttpResponse } from '../message.ts';
import type { Reply } from '../route.ts';
import type { Exchange } from './exchange.ts';
import { toResponse } from './to-response.ts';

type Rows = NonNullable<Reply['rows']>;

/**
 * Returns the response to a reply with rows, once the first of them are in hand.
 * @throws whatever reading the first rows throws. If later ones cannot be read, the answer is cut off and that is logged.
 */
export async function streamRows(
  { route, request, requestId }: Exchange,
  reply: Reply,
  rows: Rows,
  logger: Logger,
): Promise<HttpResponse> {
  const schema = route.responses[reply.status]?.schema;
  const encode = (data: readonly unknown[]) =>
    schema === undefined ? data : (encoderOf(schema)({ data }) as { readonly data: unknown }).data;
  // A HEAD request asks for no row.
  const pieces = request.method === 'HEAD' ? nothing() : jsonPieces(rows, encode);
  const first = await pieces.next();
  async function* sent(): AsyncGenerator<string, void> {
    try {
      if (!first.done) yield first.value;
      yield* pieces;
    } catch (err) {
      logger.error({ requestId, route: route.id, err }, 'the answer was cut off');
      throw err;
    } finally {
      // A client that has gone before it took the first piece.
      await pieces.return();
    }
  }
  return { ...toResponse(reply, requestId), streamed: sent() };
}

/** Writes rows as `{ "data": [...] }`. */
async function* jsonPieces(rows: Rows, encode: (rows: readonly unknown[]) => unknown): AsyncGenerator<string, void> {
  let lead = '{"data":[';
  for await (const some of rows) {
    if (some.length === 0) continue;
    yield lead + JSON.stringify(encode(some)).slice(1, -1);
    lead = ',';
  }
  yield lead === ',' ? ']}' : `${lead}]}`;
}

async function* nothing(): AsyncGenerator<string, void> {
  // The headers are the whole answer.
}
