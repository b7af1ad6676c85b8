/** Who is signed in. The token is kept in memory only: it is gone when the page is. */

import { type Caller, type CredenceClient, createCredenceClient } from '@credence/client';
import { Loader } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { type LinkToken, takeLinkToken } from './link-token.ts';
import { onRefusedToken } from './parts/connection.tsx';
import { queries } from './parts/queries.ts';
import { settings } from './settings.ts';
import { SignIn } from './sign-in.tsx';

export type Role = Caller['role'];

export interface Session {
  readonly client: CredenceClient;
  readonly caller: Caller;
  /** For the few routes that are no operations of the client: metrics and health. */
  readonly token: string | undefined;
  /** Absent if the host's own authentication signs in and out. */
  readonly signOut: (() => void) | undefined;
}

const Current = createContext<Session | null>(null);

/** The session. @throws Error outside of the pages, which are shown to those who are signed in */
export function useSession(): Session {
  const session = useContext(Current);
  if (session === null) throw new Error('There is no session.');
  return session;
}

export const useClient = () => useSession().client;

export function clientFor(token: string | undefined): CredenceClient {
  // The pages show warnings themselves, before anything is saved.
  return createCredenceClient({ url: settings.apiUrl, token: () => token, onWarning: () => undefined });
}

/** What one session read and was told is none of the next one's business. */
function forgetAnswers(): void {
  queries.clear();
  notifications.clean();
}

/** Asks for a token, unless the host knows who calls; then shows the pages. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const [given, setGiven] = useState<{ readonly token: string; readonly caller: Caller } | null>(null);
  const [link, setLink] = useState<LinkToken | null>(takeLinkToken);
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    // A link that is opened in this tab changes only the fragment: nothing is loaded.
    const take = () => {
      const taken = takeLinkToken();
      if (taken === null) return;
      setLink(taken);
      forgetAnswers();
      setGiven(null);
    };
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  const host = useQuery({
    queryKey: ['caller of the host'],
    queryFn: () => clientFor(undefined).tokens.caller(),
    enabled: settings.hasIdentify,
  });
  const session = useMemo((): Session | null => {
    if (given !== null) {
      const signOut = () => {
        // The next one may not see the page of this one.
        location.hash = '/';
        forgetAnswers();
        setGiven(null);
      };
      return { client: clientFor(given.token), ...given, signOut };
    }
    return host.data === undefined
      ? null
      : { client: clientFor(undefined), caller: host.data, token: undefined, signOut: undefined };
  }, [given, host.data]);
  const isSignedIn = given !== null;
  useEffect(() => {
    if (!isSignedIn) return;
    return onRefusedToken(() => {
      forgetAnswers();
      setRefused(true);
      setGiven(null);
    });
  }, [isSignedIn]);
  if (session !== null) return <Current value={session}>{children}</Current>;
  if (host.isLoading) return <Loader role="status" aria-label="Loading" />;
  const signIn = (token: string, caller: Caller) => {
    setLink(null);
    setRefused(false);
    setGiven({ token, caller });
  };
  return <SignIn key={link?.token} link={link} isRefused={isRefused} onSignIn={signIn} />;
}
