/** A token may come in the fragment of a link, which no server sees. */

const START = '#token=';
const TOKEN = /^[\x21-\x7e]{1,512}$/;

export interface LinkToken {
  /** Null if the link holds none that could be valid. */
  readonly token: string | null;
}

/** Takes the token out of the address, so that it stays in no history. Null: the address has none. */
export function takeLinkToken(): LinkToken | null {
  const { hash, href } = location;
  if (!hash.startsWith(START)) return null;
  history.replaceState(null, '', href.split('#', 1)[0]);
  const token = decoded(hash.slice(START.length));
  return { token: TOKEN.test(token) ? token : null };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
