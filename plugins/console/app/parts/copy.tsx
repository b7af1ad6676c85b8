/** What is copied with one click: texts, and ids for support, scripts and tickets. */
import { ActionIcon, Button, CopyButton } from '@mantine/core';
import { Icon } from './icon.tsx';

interface CopyProps {
  readonly text: string;
  readonly children?: string;
}

export function Copy({ text, children = 'Copy' }: CopyProps) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button variant="default" onClick={copy}>
          {copied ? 'Copied' : children}
        </Button>
      )}
    </CopyButton>
  );
}

interface IdProps {
  readonly children: string | number;
  /** Names it for those who do not see the page: "id of Acme". */
  readonly name: string;
}

/** An id with a button that copies it. */
export function Id({ children, name }: IdProps) {
  return (
    <span className="together">
      <span className="break">{children}</span>
      <CopyButton value={String(children)}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={24}
            aria-label={copied ? `Copied ${name}` : `Copy ${name}`}
            onClick={copy}
          >
            <Icon name={copied ? 'done' : 'copy'} size={14} />
          </ActionIcon>
        )}
      </CopyButton>
    </span>
  );
}
