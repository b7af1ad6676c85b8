/**
 * Who is signed in. A cookie keeps the session, which no script can read and which counts with a header of this page only. Without
 * one, the token is in memory and gone when the page is.
 */

import {
  type Caller,
  CredenceApiError,
  type CredenceClient,
  CredenceConnectionError,
  createCredenceClient,
} from '@credence/client';
import { Loader } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { ask, ConnectionBar, heartbeat, noteAnswer, onRefusedToken, useConnection } from './parts/connection.tsx';
import { createFetch } from './parts/kept-key.ts';
import { forgetAnswers } from './parts/queries.ts';
import { settings } from './settings.ts';
import { SignIn } from './sign-in.tsx';

export type Role = Caller['role'];
type Headers = Readonly<Record<string, string>>;

/** A caller, and who knows it: the host itself, this page by a token, or else the cookie. */
export interface Known {
  readonly caller: Caller;
  readonly isOfHost?: boolean;
  readonly token?: string;
}

/** Why nobody is signed in any more. */
export type Ended = 'refused' | 'elsewhere';

const OF_CONSOLE: Headers = { 'x-credence-console': '1' };
const SESSION_PATH = 'console-session';
const Current = createContext<Session | null>(null);
type Session = ReturnType<typeof sessionOf>;

/** The other tabs of this console, which share the cookie. */
const tabs = settings.hasSessions ? new BroadcastChannel(`credence ${settings.apiUrl}`) : null;
type ToTabs = 'in' | 'out';

/** The session. @throws Error outside of the pages, which are shown to those who are signed in */
export function useSession(): Session {
  const session = useContext(Current);
  if (session === null) throw new Error('There is no session.');
  return session;
}

/** The client of the session. Before there is one, it is nobody's. */
export const useClient = () => useContext(Current)?.client ?? NOBODY;

function clientFor(token: string | undefined, headers = OF_CONSOLE): CredenceClient {
  // The pages show warnings themselves, before anything is saved.
  const onWarning = () => undefined;
  return createCredenceClient({ url: settings.apiUrl, token: () => token, headers, onWarning, fetch: createFetch() });
}

const NOBODY = clientFor(undefined);

/**
 * The caller of requests without a token, as the host's own authentication or the cookie tells. Null: nobody.
 * @throws CredenceConnectionError if the host cannot tell
 */
async function callerWithoutToken(headers?: Headers): Promise<Caller | null> {
  return clientFor(undefined, headers)
    .tokens.caller()
    .catch((cause) => {
      if (cause instanceof CredenceApiError && cause.status < 500 && cause.status !== 429) return null;
      throw new CredenceConnectionError('The host cannot tell who is signed in.', { cause });
    });
}

async function whoIsKnown(): Promise<Known | null> {
  const ofHost = settings.hasIdentify ? await callerWithoutToken({}) : null;
  if (ofHost !== null) return { caller: ofHost, isOfHost: true };
  const kept = settings.hasSessions ? await callerWithoutToken() : null;
  return kept && { caller: kept };
}

/** Signs in, by a cookie if the browser takes it. */
export async function signInWith(token: string): Promise<Known> {
  const caller = await clientFor(token).tokens.caller();
  if (!settings.hasSessions) return { caller, token };
  const { ok, status } = await ask(SESSION_PATH, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  // The cookie may still be the one of who was signed in before.
  if (!ok) throw new Error(`You are not signed in: the host answered with status ${status}.`);
  const kept = await callerWithoutToken();
  if (kept === null) return { caller, token };
  tabs?.postMessage('in' satisfies ToTabs);
  return { caller: kept };
}

/** Asks for a token, unless it is known who calls; then shows the pages. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  /** Undefined: it is not known yet. */
  const [known, setKnown] = useState<Known | null>();
  const [link, setLink] = useState(takeLinkToken);
  const [ended, setEnded] = useState<Ended | null>(null);
  const again = useRef<number>(undefined);
  const find = useCallback((): void => {
    whoIsKnown().then(setKnown, (error) => {
      noteAnswer(error);
      // One that was asked for by hand waits no second time.
      clearTimeout(again.current);
      again.current = window.setTimeout(find, heartbeat());
    });
  }, []);
  useEffect(() => {
    const follow = ({ data }: MessageEvent<ToTabs>) => {
      forgetAnswers('lost');
      setEnded(data === 'out' ? 'elsewhere' : null);
      setKnown(undefined);
      find();
    };
    find();
    tabs?.addEventListener('message', follow);
    return () => tabs?.removeEventListener('message', follow);
  }, [find]);
  // A link that is opened in this tab changes only the fragment: nothing is loaded.
  useWindowEvent('hashchange', () => {
    const taken = takeLinkToken();
    if (taken === null) return;
    setLink(taken);
    forgetAnswers();
  });
  const session = useMemo(() => known && sessionOf(known, () => setKnown(null)), [known]);
  const { downSince } = useConnection();
  const canBeRefused = session?.signOut !== undefined;
  useEffect(() => {
    // The token of a link may be refused: it is not the one of the session.
    if (!canBeRefused || link !== null) return;
    return onRefusedToken(() => {
      forgetAnswers('lost');
      setEnded('refused');
      setKnown(null);
    });
  }, [canBeRefused, link]);
  if (session === undefined && downSince !== null) return <ConnectionBar onRetry={find} />;
  if (session === undefined) return <Loader role="status" aria-label="Loading" />;
  if (session !== null && (link === null || known?.isOfHost)) return <Current value={session}>{children}</Current>;
  const signedIn = (next: Known) => {
    setLink(null);
    setEnded(null);
    setKnown(next);
  };
  return <SignIn key={link} link={link} ended={ended} onSignIn={signedIn} />;
}

function sessionOf({ caller, token, isOfHost }: Known, onSignedOut: () => void) {
  const headers = token === undefined ? OF_CONSOLE : { authorization: `Bearer ${token}` };
  const signOut = async () => {
    if (token === undefined) {
      const { ok, status } = await ask(SESSION_PATH, { method: 'DELETE', headers });
      if (!ok) throw new Error(`You are still signed in: the host answered with status ${status}.`);
      tabs?.postMessage('out' satisfies ToTabs);
    }
    // The next one may not see the page of this one.
    location.hash = '/';
    forgetAnswers();
    onSignedOut();
  };
  return {
    client: clientFor(token),
    caller,
    /** For the few routes that are no operations of the client. */
    headers,
    /** Absent if the host's own authentication signs in and out. */
    signOut: isOfHost ? undefined : signOut,
  };
}

/** A token may come in the fragment of a link, which no server sees. */
const START = '#token=';
const TOKEN = /^[\x21-\x7e]{1,512}$/;

/**
 * Takes the token out of the address, so that it stays in no history. Null: the address has none. The empty text: it has one that
 * cannot be valid.
 */
function takeLinkToken(): string | null {
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
