/** The words of the console for the names of the API. What has no word of its own is shown as `words` writes it. */
import { words } from './format.tsx';

const TERMS: Readonly<Record<string, string>> = {
  created: 'Started',
  target_opened: 'Opened the post',
  awaiting_claim: 'Has not claimed yet',
  verification_pending: 'Being checked',
  failed_retryable: 'No match yet',
  failed_terminal: 'Failed',
  swept: 'All were read',
  partial: 'Read in part',
};

export const term = (name: string): string => TERMS[name] ?? words(name);
