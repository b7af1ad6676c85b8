/** Switches between light and dark; at first it is as the system says. */
import { Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

export function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'light' ? 'dark' : 'light';
  return (
    <Button variant="subtle" color="gray" size="xs" onClick={() => setColorScheme(other)}>
      {scheme === 'light' ? 'Dark' : 'Light'}
    </Button>
  );
}
