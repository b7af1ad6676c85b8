/** Asks for a token. One of a link waits in the field for a click: opening a link alone signs nobody in. */

import type { Caller } from '@credence/client';
import { Alert, Button, Container, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { LinkToken } from './link-token.ts';
import { Failure } from './parts/failure.tsx';
import { clientFor } from './session.tsx';

interface SignInProps {
  readonly link: LinkToken | null;
  /** The host no longer takes the token that was in use. */
  readonly isRefused: boolean;
  readonly onSignIn: (token: string, caller: Caller) => void;
}

export function SignIn({ link, isRefused, onSignIn }: SignInProps) {
  const [token, setToken] = useState(link?.token ?? '');
  const signIn = useMutation({
    mutationFn: () => clientFor(token.trim()).tokens.caller(),
    onSuccess: (caller) => onSignIn(token.trim(), caller),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <Container component="main" size="xs" py="xl">
      <Paper withBorder p="lg">
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h2">
              Sign in to Credence
            </Title>
            {isRefused && (
              <Alert color="red" variant="outline" role="alert" title="You were signed out">
                The token is not valid any more: it was revoked, or the host has another one now. Sign in with a token
                that is valid.
              </Alert>
            )}
            <Text>
              You see and do here what your token may. The page forgets the token when you close or reload it.
            </Text>
            <PasswordInput
              label="Token"
              description={link?.token ? 'From the link that you opened' : 'An admin, client or brand token'}
              error={
                link?.token === null && token === ''
                  ? 'The link holds no valid token. Ask for another link, or enter a token.'
                  : null
              }
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
              autoComplete="current-password"
              required
              data-autofocus
            />
            {signIn.error !== null && <Failure error={signIn.error} />}
            <Button type="submit" loading={signIn.isPending}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Container>
  );
}
