/** What all pages have: a heading, their actions, sections, facts, and answers that are loading or failed. */
import { Anchor, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { createContext, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Id } from './copy.tsx';
import { Failure, Outdated } from './failure.tsx';

/** The title of the page or section around: a table in it is called so. */
export const TitleAround = createContext('');

interface PageProps {
  readonly title: string;
  /** Beside the title. */
  readonly state?: ReactNode;
  /** By which the API knows what the page is about. */
  readonly id?: string | undefined;
  readonly actions?: ReactNode;
  /** The page above this one. */
  readonly above?: { readonly to: string; readonly label: string };
  readonly children: ReactNode;
}

/** A page. Its heading gets the focus, so that a screen reader says where one is. */
export function Page({ title, state, id, actions, above, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useDocumentTitle(`${title} · Credence console`);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <Stack gap="lg">
      {above && (
        <Anchor component={Link} href={above.to} size="sm" className="break">
          ← {above.label}
        </Anchor>
      )}
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={1} tabIndex={-1} ref={heading} className="break">
            {title}
          </Title>
          {state}
          {id !== undefined && (
            <Text component="span" size="sm" c="dimmed">
              Id <Id name="the id">{id}</Id>
            </Text>
          )}
        </Group>
        <Group gap="xs">{actions}</Group>
      </Group>
      <TitleAround value={title}>{children}</TitleAround>
    </Stack>
  );
}

interface PageLinkProps {
  readonly to: string;
  /** It breaks between words only. */
  readonly isShort?: boolean;
  readonly children: ReactNode;
}

export function PageLink({ to, isShort = false, children }: PageLinkProps) {
  return (
    <Anchor component={Link} href={to} className={isShort ? undefined : 'break'}>
      {children}
    </Anchor>
  );
}

interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {title}
          </Title>
          <Group gap="xs">{actions}</Group>
        </Group>
        <TitleAround value={title}>{children}</TitleAround>
      </Stack>
    </Paper>
  );
}

interface AnsweredProps<T> {
  readonly query: UseQueryResult<T, Error>;
  readonly children: (data: T) => ReactNode;
}

/** The answer of a query, once there is one. An answer stays while a later one is read, and says so if that fails. */
export function Answered<T>({ query, children }: AnsweredProps<T>) {
  if (query.data !== undefined) {
    return (
      <>
        <Outdated query={query} />
        {children(query.data)}
      </>
    );
  }
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading />;
}

export function Loading() {
  return (
    <Group role="status">
      <Loader size="sm" />
      <Text>Loading</Text>
    </Group>
  );
}

export function Facts({ of }: { readonly of: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="facts">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} className="break">
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}

/** Numbers that are read at a glance. */
export function Figures({ of }: { readonly of: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className="facts">
      {of.map(([name, value]) => (
        <Paper key={name} withBorder p="md">
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} size="xl" fw={700}>
            {value}
          </Text>
        </Paper>
      ))}
    </dl>
  );
}
