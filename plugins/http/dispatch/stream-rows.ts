/** Last step for a list without pages: its rows are sent while they are read. */
import type { Logger } from '../../../core/ports/logger.ts';
import { encoderOf } from '../encode-reply.ts';
import type { HttpResponse } from '../message.ts';
import type { Reply } from '../route.ts';
import { listPieces } from '../streamed-answer.ts';
import type { Exchange } from './exchange.ts';
import { toResponse } from './to-response.ts';

/** About as much as one piece holds. */
const PIECE_BYTES = 64 * 1024;

export interface StreamRowsDeps {
  readonly logger: Logger;
  /** How many milliseconds a client may take to receive so many bytes. */
  readonly answerMs: (bytes: number) => number;
}

/**
 * Returns the response to a reply with rows, once the first of them are in hand.
 * @throws whatever reading the first rows throws. If later ones cannot be read, the answer is cut off and that is logged.
 */
export async function streamRows(
  { route, request, requestId }: Exchange,
  reply: Reply,
  rows: NonNullable<Reply['rows']>,
  { logger, answerMs }: StreamRowsDeps,
): Promise<HttpResponse> {
  const schema = route.responses[reply.status]?.schema;
  const encode = (data: readonly unknown[]) =>
    schema === undefined ? data : (encoderOf(schema)({ data }) as { readonly data: unknown }).data;
  // A HEAD request asks for no row.
  const pieces = request.method === 'HEAD' ? nothing() : await listPieces(rows, encode);
  const logged = async function* () {
    try {
      yield* pieces;
    } catch (err) {
      logger.error({ requestId, route: route.id, err }, 'the answer was cut off');
      throw err;
    }
  };
  return { ...toResponse(reply, requestId), streamed: { pieces: logged(), pieceMs: answerMs(PIECE_BYTES) } };
}

async function* nothing(): AsyncGenerator<string, void> {
  // The headers are the whole answer.
}
