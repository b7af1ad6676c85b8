/** Requests whose client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
import type { ServerResponse } from 'node:http';

const waiting = new WeakMap<object, ServerResponse>();

/** Keeps the client waiting until `letBodyCome`. */
export function holdBodyBack(request: object, response: ServerResponse): void {
  // A client that is refused keeps its body back, so the next bytes could be the body or another request.
  response.shouldKeepAlive = false;
  waiting.set(request, response);
}

/** Asks the client for the body. Does nothing for a request that no one holds back. */
export function letBodyCome(request: object): void {
  const response = waiting.get(request);
  if (response === undefined) return;
  waiting.delete(request);
  response.shouldKeepAlive = true;
  response.writeContinue();
}
