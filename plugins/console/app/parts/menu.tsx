/** Actions that are seldom needed, behind one button. */
import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

export function MoreMenu({ children }: { readonly children: ReactNode }) {
  return (
    // Kept mounted, and its effects with it: the question that an item asks belongs to it.
    <Menu
      position="bottom-end"
      keepMounted
      keepMountedMode="display-none"
      withinPortal={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <Button variant="default" px="sm" aria-label="More actions">
          <Icon name="more" />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
