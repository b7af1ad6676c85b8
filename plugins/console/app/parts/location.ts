/**
 * The place in the console is the fragment of the address, which no server sees: `#/campaigns/1/participants?state=rewarded`.
 * Every entry of the browser's history has a number, so that Back finds what was scrolled and loaded there.
 */
import { useSyncExternalStore } from 'react';
import type { BaseLocationHook } from 'wouter';

const MOVED = 'credence-moved';
let newest = Math.max(Date.now(), entryNumber());

/** The number of the entry of the history that is shown; 0 if `navigate` did not make it. */
export function entryNumber(): number {
  return (history.state as { readonly entry?: number } | null)?.entry ?? 0;
}

const fragment = () => location.hash.replace(/^#?\/?/, '');
export const currentPath = () => `/${fragment().split('?', 1)[0]}`;
const currentSearch = () => fragment().split('?').slice(1).join('?');

function subscribe(told: () => void): () => void {
  const end = new AbortController();
  for (const event of ['hashchange', 'popstate', MOVED]) addEventListener(event, told, { signal: end.signal });
  return () => end.abort();
}

/** Goes to another page of the console. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const address = `#/${to.replace(/^#?\/?/, '')}`;
  if (replace) history.replaceState(history.state, '', address);
  else {
    newest += 1;
    history.pushState({ entry: newest }, '', address);
  }
  dispatchEvent(new Event(MOVED));
}

/** For `<Router hook>`. */
export const useFragmentPath: BaseLocationHook = () => [useSyncExternalStore(subscribe, currentPath), navigate];
useFragmentPath.searchHook = () => useSyncExternalStore(subscribe, currentSearch);
useFragmentPath.hrefs = (href) => `#${href}`;

/** Changes what stands behind the `?` of the address, without an entry of its own in the history. */
export function replaceSearch(search: URLSearchParams): void {
  const text = search.toString();
  navigate(currentPath() + (text === '' ? '' : `?${text}`), { replace: true });
}

export const searchOfAddress = () => new URLSearchParams(currentSearch());
