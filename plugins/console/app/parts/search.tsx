/** One field that leads to what support asks about. Ctrl-K opens it, arrows and Enter choose, Escape closes. */
import { Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import { Failure } from './failure.tsx';
import { takeFocus } from './form.tsx';
import { words } from './format.tsx';
import { navigate } from './location.ts';
import { useRead } from './reads.tsx';

const CALM_MS = 200;
const LIST = 'search-hits';

export function SearchButton() {
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={open}
        rightSection={
          <Text size="xs" c="dimmed" visibleFrom="sm">
            Ctrl K
          </Text>
        }
      >
        Search
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Search"
        size="lg"
        transitionProps={{ duration: 0 }}
        closeOnClickOutside
      >
        <SearchField onChosen={close} />
      </Modal>
    </>
  );
}

function SearchField({ onChosen }: { readonly onChosen: () => void }) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const [q] = useDebouncedValue(typed.trim(), CALM_MS);
  const found = useRead('support.search', { q }, { enabled: q !== '' });
  const hits = q === '' || q !== typed.trim() ? [] : (found.data ?? []);
  const active = Math.min(chosen, hits.length - 1);
  const go = (path: string | undefined) => {
    if (path === undefined) return;
    onChosen();
    navigate(path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) setChosen((active + step + hits.length) % hits.length);
    else if (event.key === 'Enter') go(hits[active]?.path);
    else return;
    event.preventDefault();
  };
  return (
    <Stack>
      <TextInput
        label="What to look for"
        description="Begin with an external id, a name, a handle, an email or a message id; or part of a campaign's title, an attempt's number, a request id."
        ref={takeFocus}
        data-autofocus
        maxLength={200}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls={LIST}
        aria-activedescendant={active < 0 ? undefined : `${LIST}-${active}`}
        autoComplete="off"
      />
      {found.error && <Failure error={found.error} />}
      <div id={LIST} role="listbox" aria-label="Hits" className="hits">
        {hits.map(({ kind, id, title, path }, index) => (
          // The field keeps the focus; its keys choose.
          <div
            key={`${kind} ${id}`}
            id={`${LIST}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className="hit break"
            onMouseDown={() => go(path)}
            ref={index === active ? (hit) => hit?.scrollIntoView({ block: 'nearest' }) : null}
          >
            {title}{' '}
            <Text component="span" size="sm" c="dimmed">
              {words(kind)} {id}
            </Text>
          </div>
        ))}
      </div>
      <Text size="sm" c="dimmed" role="status">
        {found.error === null && statusOf(q, hits.length, found.isFetching || q !== typed.trim())}
      </Text>
    </Stack>
  );
}

function statusOf(q: string, count: number, isBusy: boolean): string {
  if (isBusy) return 'Searching';
  if (q === '') return '';
  return count === 0 ? 'Nothing was found.' : `${count} found`;
}
