import type { HttpResponse } from './message.ts';

/**
 * The headers of an answer, with what the host has put into `Vary` before: an answer depends on both.
 * @param before the host's `Vary`, as a header of Node.js or undefined
 */
export function besideVary(headers: HttpResponse['headers'], before: unknown): HttpResponse['headers'] {
  const own = headers.vary;
  if (own === undefined || before === undefined) return headers;
  const names = `${String(before)},${own}`
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const isKnown = (name: string, at: number) =>
    names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) === at;
  return { ...headers, vary: names.filter(isKnown).join(', ') };
}
