/** Creates a campaign: the post can be checked before. */
import { Button, Group, Paper, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../parts/action.tsx';
import { BrandSelect } from '../parts/brands.tsx';
import { Failure } from '../parts/failure.tsx';
import { useFields } from '../parts/fields.ts';
import { LocalTimeInput, utcOf } from '../parts/local-time.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session.tsx';

const DEFAULT_POINTS = '100';

/** What the fields hold. Times are local, as `datetime-local` has them. */
const EMPTY = {
  brandId: null as string | null,
  title: '',
  description: '',
  targetUrl: '',
  action: 'comment' as 'comment' | 'like',
  pointsReward: DEFAULT_POINTS,
  startsAt: '',
  endsAt: '',
};

export default function NewCampaign() {
  const { client, caller } = useSession();
  const [, goTo] = useLocation();
  const own = caller.brandId === null ? null : String(caller.brandId);
  const { fields, set, text } = useFields({ ...EMPTY, brandId: own });
  const create = useAction(
    () =>
      client.campaigns.create({
        brandId: Number(fields.brandId),
        title: fields.title,
        description: fields.description || null,
        pointsReward: Number(fields.pointsReward),
        startsAt: utcOf(fields.startsAt),
        endsAt: utcOf(fields.endsAt),
        challenge: { targetUrl: fields.targetUrl, action: fields.action },
      }),
    {
      done: ({ campaign }) => `The campaign “${campaign.title}” is active.`,
      onDone: ({ campaign }) => goTo(`/campaigns/${campaign.id}`),
      inForm: true,
    },
  );
  const check = useMutation({ mutationFn: (url: string) => client.lookups.post({ url }) });
  // An answer about another URL says nothing.
  const isAboutThis = check.variables === fields.targetUrl;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Page title="Create a campaign" above={{ to: '/campaigns', label: 'Campaigns' }}>
      <Paper withBorder p="md" maw={640}>
        <form onSubmit={submit}>
          <Stack>
            <BrandSelect required value={fields.brandId} onChange={(value) => set('brandId', value)} />
            <TextInput label="Title" required maxLength={200} {...text('title')} />
            <Textarea label="Description" autosize minRows={2} {...text('description')} />
            <TextInput label="URL of the post" inputMode="url" required {...text('targetUrl')} />
            <Group>
              <Button
                variant="default"
                loading={check.isPending}
                disabled={fields.targetUrl === ''}
                onClick={() => check.mutate(fields.targetUrl)}
              >
                Check the post
              </Button>
              {check.data && isAboutThis && <Text role="status">The post can be read on {check.data.platform}.</Text>}
            </Group>
            {check.error && isAboutThis && <Failure error={check.error} />}
            <Select
              label="What creators do"
              allowDeselect={false}
              data={[
                { value: 'comment', label: 'Comment on the post' },
                { value: 'like', label: 'Like the post' },
              ]}
              value={fields.action}
              onChange={(value) => set('action', value as 'comment' | 'like')}
            />
            <TextInput
              label="Points for each creator"
              type="number"
              required
              min={0}
              step={1}
              {...text('pointsReward')}
            />
            <LocalTimeInput label="Starts" description="Empty: at once" {...text('startsAt')} />
            <LocalTimeInput label="Ends" description="Empty: when you end it" {...text('endsAt')} />
            {create.error && <Failure error={create.error} />}
            <Button type="submit" loading={create.isPending}>
              Create the campaign
            </Button>
          </Stack>
        </form>
      </Paper>
    </Page>
  );
}
