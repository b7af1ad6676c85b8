/** Asks for a token. One may come in the fragment of the link, which no server sees. */
import { Button, Container, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Caller } from 'credence/client';
import { type FormEvent, useState } from 'react';
import { Failure } from './parts/failure.tsx';
import { clientFor } from './session.tsx';

const LINK = /^#token=([\x21-\x7e]{1,512})$/;

/** Takes the token out of the address, so that it is in no history. */
function tokenOfLink(): string {
  const [, token = ''] = LINK.exec(location.hash) ?? [];
  if (token === '') return '';
  history.replaceState(null, '', location.href.split('#', 1)[0]);
  return decodeURIComponent(token);
}

const ofLink = tokenOfLink();

interface SignInProps {
  readonly onSignIn: (token: string, caller: Caller) => void;
}

export function SignIn({ onSignIn }: SignInProps) {
  const [token, setToken] = useState(ofLink);
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
            <Text>
              You see and do here what your token may. The page forgets the token when you close or reload it.
            </Text>
            <PasswordInput
              label="Token"
              description={ofLink === '' ? 'An admin, client or brand token' : 'From the link that you opened'}
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
