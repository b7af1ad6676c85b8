/** How the client sends requests: one that is sent again because its answer was lost has the key of the first one. */
const KEY = 'idempotency-key';

/** Makes a `fetch` for one session. Nothing is made twice if somebody presses a button again, unless a field was changed. */
export function createFetch(): (url: string, init: RequestInit) => Promise<Response> {
  /** The keys of requests whose answer nobody has seen. */
  const unanswered = new Map<string, string>();
  return async (url, init) => {
    const headers = init.headers as Readonly<Record<string, string>>;
    // Each press of an action without fields is a new one. But another secret would end the one before.
    const isMade = init.body != null || url.endsWith('/rotate-secret');
    if (headers[KEY] === undefined || !isMade) return fetch(url, init);
    const request = `${url} ${init.body}`;
    const key = unanswered.get(request) ?? headers[KEY];
    // Equal rows of an import are sent at the same time, each with a key of its own.
    unanswered.delete(request);
    let isAnswered = false;
    try {
      const response = await fetch(url, { ...init, headers: { ...headers, [KEY]: key } });
      // The connection may be cut in the middle.
      await response.clone().arrayBuffer();
      // The host stores no refusal that says when to try again, and may still be at work.
      isAnswered = response.status < 500 && !response.headers.has('retry-after');
      return response;
    } finally {
      if (!isAnswered) unanswered.set(request, key);
    }
  };
}
