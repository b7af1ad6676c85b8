/** Second step: counts the bytes that a request and its answer hold, until the answer is sent. */
import { callerKey } from '../access.ts';
import type { BodyBudget, BodyShare } from '../body-budget.ts';
import type { HttpResponse } from '../message.ts';
import type { Exchange } from './exchange.ts';

export interface BodyBudgets {
  /** Of all callers and mounts. */
  readonly callers: BodyBudget;
  /** For bodies whose sender is not known yet: they take nothing from the callers. */
  readonly strangers: BodyBudget;
  /** How many milliseconds a client may take to receive so many bytes. */
  readonly answerMs: (bytes: number) => number;
}

/** Runs `answer` while the exchange has its shares. Routes without a body need none. */
export function withBodyShares(
  exchange: Exchange,
  budgets: BodyBudgets,
  answer: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  return exchange.route.body ? sharing(exchange, budgets, answer) : answer();
}

async function sharing(
  exchange: Exchange,
  budgets: BodyBudgets,
  answer: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { route, request, caller } = exchange;
  const own = budgets.callers.open(caller === null ? route.id : callerKey(caller));
  const stranger = caller === null ? budgets.strangers.open(request.ip) : null;
  exchange.shares = { own, stranger };
  try {
    return heldUntilSent(await answer(), own, budgets.answerMs);
  } catch (error) {
    own.release();
    throw error;
  } finally {
    stranger?.release();
  }
}

/**
 * From here on the request's share holds the answer instead: a client that reads slowly holds it for long. An answer is never
 * refused, because its work is done and counted; a handler whose answer is large calls `hold` before the work.
 */
function heldUntilSent(response: HttpResponse, share: BodyShare, answerMs: (bytes: number) => number): HttpResponse {
  const bytes = response.encoded?.length ?? Buffer.byteLength(response.body);
  share.release();
  share.count(bytes);
  if (share.held === 0) return response;
  return { ...response, held: { deadlineMs: answerMs(bytes), release: () => share.release() } };
}

const RECEIVING_GRACE_MS = 30_000;
/** One Mbit/s. */
const RECEIVING_BYTES_PER_SECOND = 125_000;

/**
 * The default of `answerMs`: a slow line has the time it takes. A client that reads nothing, or a byte now and then, would
 * otherwise hold its share for as long as it likes.
 */
export function receivingMs(bytes: number): number {
  return RECEIVING_GRACE_MS + Math.ceil((bytes / RECEIVING_BYTES_PER_SECOND) * 1000);
}
