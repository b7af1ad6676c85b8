/** Asks for a token. One of a link waits in the field for a click: opening a link alone signs nobody in. */
import { Alert, Container, Paper, PasswordInput, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Form, takeFocus } from './parts/form.tsx';
import { type Ended, type Known, signInWith } from './session.tsx';
import { settings } from './settings.ts';

interface SignInProps {
  /** The token of a link; empty if it holds none that could be valid. */
  readonly link: string | null;
  readonly ended: Ended | null;
  readonly onSignIn: (known: Known) => void;
}

const ENDED: Readonly<Record<Ended, string>> = {
  refused: `${settings.hasSessions ? 'Twelve hours have passed, the' : 'The'} token was revoked, or the host has another one now. Sign in with a token that is valid.`,
  elsewhere: 'You signed out in another tab. Sign in again to continue.',
};

export function SignIn({ link, ended, onSignIn }: SignInProps) {
  const [token, setToken] = useState(link ?? '');
  return (
    <Container component="main" size="xs" py="xl">
      <Paper withBorder p="lg">
        <Form run={() => signInWith(token.trim())} onDone={onSignIn} submitLabel="Sign in">
          <Title order={1} size="h2">
            Sign in to Credence
          </Title>
          {ended !== null && (
            <Alert color="red" variant="outline" role="alert" title="You were signed out">
              {ENDED[ended]}
            </Alert>
          )}
          <Text>
            You see and do here what your token may.{' '}
            {settings.hasSessions
              ? 'You stay signed in for twelve hours, in all tabs, until you sign out.'
              : 'The page forgets the token when you close or reload it.'}
          </Text>
          <PasswordInput
            label="Token"
            description={link ? 'From the link that you opened' : 'An admin, client or brand token'}
            error={
              link === '' && token === ''
                ? 'The link holds no valid token. Ask for another link, or enter a token.'
                : null
            }
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            autoComplete="current-password"
            required
            ref={takeFocus}
          />
        </Form>
      </Paper>
    </Container>
  );
}
