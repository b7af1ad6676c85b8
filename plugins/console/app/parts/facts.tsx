/** Values with their names. */
import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

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
