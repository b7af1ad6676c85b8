/** One request on its way to its response: what every step of the dispatcher is given. */
import type { Caller } from '../../../core/access/token.ts';
import type { ByteShare } from '../byte-counter.ts';
import type { TakenLimit } from '../limits.ts';
import type { HttpRequest } from '../message.ts';
import type { Dialect, Route } from '../route.ts';

export interface Exchange {
  readonly route: Route;
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly dialect: Dialect;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  /** Set by `admit`. Null on routes that need no caller. */
  caller: Caller | null;
  /** Of the quota of the caller, then of the row's own limits. The answer tells what is left, also if it is a failure. */
  taken: TakenLimit[];
  /** What the request holds of bodies and answers, once it is admitted. Null on routes without a body. */
  share: ByteShare | null;
}
