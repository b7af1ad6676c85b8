/** A token may come in the fragment of a link, which no server sees. */

const START = '#token=';
const TOKEN = /^[\x21-\x7e]{1,512}$/;

/**
 * Takes the token out of the address, so that it stays in no history. Null: the address has none. The empty text: it has one that
 * cannot be valid.
 */
export function takeLinkToken(): string | null {
  const { hash, href } = location;
  if (!hash.startsWith(START)) return null;
  history.replaceState(null, '', href.split('#', 1)[0]);
  const token = decoded(hash.slice(START.length));
  return TOKEN.test(token) ? token : '';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
