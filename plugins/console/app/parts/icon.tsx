/** Small pictures beside words; the words say it all. */

const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM14 4v4h6V4zM4 20h6v-4H4z',
  campaigns: 'M4 10v4a1 1 0 0 0 1 1h3l7 4V5L8 9H5a1 1 0 0 0-1 1zM18.5 9a4 4 0 0 1 0 6',
  creators:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5a6.5 6.5 0 0 1 3.5 5.5',
  proofs: 'M12 3l7 3v5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V6zM9 12l2 2 4-4',
  webhooks: 'M13 3L5 14h6l-1 7 8-11h-6z',
  brands: 'M4 12V4h8l8 8-8 8zM8.5 8.5h.01',
  tokens: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11 12l8-8M16 7l3 3',
  jobs: 'M4 6h16M4 12h16M4 18h10M19 16v5M16.5 18.5h5',
  'audit-log': 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  settings:
    'M4 7h10M18 7h2M4 17h2M10 17h10M16 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  done: 'M5 12.5l4.5 4.5L19 7',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  docs: 'M5 4h6a3 3 0 0 1 3 3v13a2.5 2.5 0 0 0-2.5-2.5H5zM19 4h-3a2 2 0 0 0-2 2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** A seal with a tick. */
export function Logo() {
  return (
    <svg width="26" height="26" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        fill="var(--mantine-primary-color-filled)"
        d="M12 1.5l2.9 2.1 3.6 0 1.1 3.4 2.9 2.1-1.1 3.4 1.1 3.4-2.9 2.1-1.1 3.4-3.6 0L12 23.5l-2.9-2.1-3.6 0-1.1-3.4-2.9-2.1 1.1-3.4-1.1-3.4 2.9-2.1 1.1-3.4 3.6 0z"
      />
      <path
        d="M7.5 12.5l3.2 3.2 5.8-6.2"
        fill="none"
        stroke="var(--mantine-color-body)"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
