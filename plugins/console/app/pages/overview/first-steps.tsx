/** What a new instance needs, in order. Gone when all of it is there. */
import { Anchor, ThemeIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useBrands } from '../../parts/brands.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Section } from '../../parts/page.tsx';
import { useClient } from '../../session.tsx';
import { useTotals } from './totals.ts';

export function FirstSteps() {
  const client = useClient();
  const brands = useBrands();
  const first = brands.data?.[0]?.id;
  const webhooks = useQuery({
    queryKey: ['webhooks', first],
    queryFn: ({ signal }) => client.webhooks.list({ brandId: first ?? 0 }, { signal }),
    enabled: first !== undefined,
  });
  const { campaigns, creators } = useTotals();
  if (brands.data === undefined || campaigns === undefined || creators === undefined) return null;
  const steps = [
    { done: first !== undefined, to: '/brands', text: 'Create a brand', why: 'Campaigns and webhooks belong to it.' },
    {
      done: (webhooks.data?.length ?? 0) > 0,
      to: '/webhooks',
      text: 'Create a webhook',
      why: 'Your server hears of verified creators and rewards.',
    },
    { done: campaigns > 0, to: '/campaigns/new', text: 'Create a campaign', why: 'Paste the address of a post.' },
    {
      done: creators > 0,
      to: '/creators',
      text: 'Register creators',
      why: 'One by one, from a CSV file, or by your app.',
    },
  ];
  // The webhook may still be loading: a list that comes and goes at once helps nobody.
  if (steps.every(({ done }) => done) || (first !== undefined && webhooks.isPending)) return null;
  const next = steps.find(({ done }) => !done);
  return (
    <Section title="First steps">
      <ol className="first-steps">
        {steps.map((step) => (
          <li key={step.to} data-done={step.done || undefined} aria-current={step === next ? 'step' : undefined}>
            <ThemeIcon variant={step.done ? 'filled' : 'default'} radius="xl" size="sm" aria-hidden>
              {step.done && <Icon name="done" size={14} />}
            </ThemeIcon>
            <div>
              {step.done ? (
                `${step.text}: done`
              ) : (
                <Anchor component={Link} href={step.to} fw={600}>
                  {step.text}
                </Anchor>
              )}
              <div className="dimmed">{step.why}</div>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}
